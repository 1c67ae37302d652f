internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Logging
internal import Model
internal import NIOCore
internal import OAuth

/// `/ssf/…`: streams of security events that receivers register (Shared Signals Framework 1.0 §8, RFC 8936).
struct SharedSignalsRoutes: Sendable {
    static let configuration = "/.well-known/ssf-configuration"
    private static let stream = "/ssf/stream"
    private static let status = "/ssf/status"
    private static let poll = "/ssf/poll" + Route.anyName

    let checks: Checks

    private var streams: SignalStreams { checks.services.signalStreams }

    var routes: [Route] {
        [
            Route(.get, Self.configuration, open: "public document", sharing: .anybody, handler: metadata),
            route(.post, Self.stream, created),
            route(.get, Self.stream, reads: true, shown),
            route(.patch, Self.stream) { call in try await changed(call, replaces: false) },
            route(.put, Self.stream) { call in try await changed(call, replaces: true) },
            route(.delete, Self.stream) { call in
                try await streams.delete(try call.streamID, of: call.client)
                return Response(status: .noContent)
            },
            route(.get, Self.status, reads: true) { call in
                .signals(try await streams.status(try call.streamID, of: call.client))
            },
            route(.post, Self.status) { call in
                .signals(try await streams.setStatus(try await call.body(), of: call.client))
            },
            route(.post, "/ssf/verify") { call in
                try await streams.verify(try await call.body(), of: call.client)
                return Response(status: .noContent)
            },
            route(.post, Self.poll) { call in
                let name = call.request.names(in: Self.poll)[0]
                let readiness = checks.services.readiness
                return .signals(
                    try await streams.poll(name, try await call.body(), of: call.client) { readiness.isStopping })
            },
        ]
    }

    /// A request of a receiver.
    private struct Call: Sendable {
        let client: Client
        let request: Request

        var streamID: String {
            get throws {
                guard let id = try request.queryParameters().one("stream_id") else {
                    throw SignalProblem.invalid("stream_id is missing")
                }
                return id
            }
        }

        func body() async throws -> JSONValue {
            do {
                guard let body = try await request.json(max: Limits.signalBodyBytesMax) else {
                    throw SignalProblem.invalid("the body is a JSON object")
                }
                return body
            } catch is JSONProblem {
                throw SignalProblem.invalid("the body is no JSON")
            }
        }
    }

    private func route(
        _ method: HTTPRequest.Method, _ path: String, reads: Bool = false,
        _ answer: @escaping @Sendable (Call) async throws -> Response
    ) -> Route {
        let receiver = Check(.signalReceiver) { request, _ in try await checks.signalReceiver(request, reads: reads) }
        return Route(method, path, receiver) { receiver, request, context in
            do {
                let call = Call(client: receiver.client, request: request)
                return try await awayFromEventLoop { try await answer(call) }
            } catch let problem as SignalProblem {
                return .signals(problem)
            } catch let unreadable as Unreadable {
                return .signals(unreadable.status, "invalid_request", unreadable.sentence)
            } catch is StoreError {
                context.logger.error("store failed", metadata: ["route": "\(path)"])
                return .signals(.serviceUnavailable, "unavailable", "The server cannot reach its database: try again")
            }
        }
    }

    @Sendable private func metadata(_ request: Request, _ context: WebContext) async throws -> Response {
        let project = checks.services.project
        let document = SignalStreams.metadata(
            issuer: project.issuer, base: project.base, keys: project.base + Routes.keys)
        return .json(
            document.serialized, headers: [.cacheControl: "public, max-age=300", .accessControlAllowOrigin: "*"])
    }

    @Sendable private func created(_ call: Call) async throws -> Response {
        .signals(try await streams.create(try await call.body(), of: call.client), status: .created)
    }

    @Sendable private func shown(_ call: Call) async throws -> Response {
        guard let id = try call.request.queryParameters().one("stream_id") else {
            return .signals(try await streams.all(of: call.client))
        }
        return .signals(try await streams.read(id, of: call.client))
    }

    private func changed(_ call: Call, replaces: Bool) async throws -> Response {
        .signals(try await streams.update(try await call.body(), replaces: replaces, of: call.client))
    }
}

extension Response {
    fileprivate static func signals(_ json: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
        .json(json.serialized, status: status, headers: [.cacheControl: "no-store"])
    }

    /// Errors have the form of RFC 8935 §2.3.
    fileprivate static func signals(_ status: HTTPResponse.Status, _ code: String, _ text: String) -> Response {
        signals(["err": .string(code), "description": .string(text)], status: status)
    }

    fileprivate static func signals(_ problem: SignalProblem) -> Response {
        switch problem {
        case .invalid(let text): return signals(.badRequest, "invalid_request", text)
        case .unknown: return signals(.notFound, "not_found", "There is no such stream of this client")
        case .tooMany:
            return signals(.conflict, "too_many", "A client has at most \(Limits.signalStreamsMax) streams")
        case .tooSoon(let seconds):
            var response = signals(.tooManyRequests, "too_soon", "Ask again in \(seconds) seconds")
            response.headers[.retryAfter] = String(seconds)
            return response
        }
    }
}
