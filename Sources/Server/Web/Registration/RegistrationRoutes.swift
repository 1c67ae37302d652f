internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import NIOCore
internal import OAuth

/// `/oauth2/register`: clients that register themselves, and look after their own entries (RFC 7591, RFC 7592). There only
/// where the operator switched it on.
struct RegistrationRoutes: Sendable {
    let services: IdentityServices
    let addresses: ClientAddress

    var routes: [Route] {
        guard let registrar = services.registrar else { return [] }
        let handler = RegistrationHandler(registrar: registrar, project: services.project, addresses: addresses)
        return [
            Route(
                method: .post, path: Routes.registration, checks: [.initialAccessToken], sharing: .none,
                handler: handler.register),
            Route(method: .get, path: Routes.registration, checks: [.registrationToken], handler: handler.read),
            Route(method: .put, path: Routes.registration, checks: [.registrationToken], handler: handler.replace),
            Route(method: .delete, path: Routes.registration, checks: [.registrationToken], handler: handler.remove),
        ]
    }
}

private struct RegistrationHandler: Sendable {
    let registrar: ClientRegistrar
    let project: Project
    let addresses: ClientAddress

    /// `POST /oauth2/register` (RFC 7591 §3.1).
    @Sendable func register(_ request: Request, _ context: WebContext) async throws -> Response {
        let (metadata, _) = try await metadata(request)
        let outcome = try await registrar.register(
            metadata, token: bearer(request), from: addresses.address(of: request, context))
        return respond(outcome, status: .created)
    }

    /// `GET /oauth2/register?client_id=…` (RFC 7592 §2.1).
    @Sendable func read(_ request: Request, _ context: WebContext) async throws -> Response {
        respond(registrar.read(try clientID(request), token: bearer(request)))
    }

    /// `PUT /oauth2/register?client_id=…` (RFC 7592 §2.2).
    @Sendable func replace(_ request: Request, _ context: WebContext) async throws -> Response {
        let (metadata, json) = try await metadata(request)
        let outcome = try await registrar.replace(
            try clientID(request), with: metadata, sentID: json["client_id"]?.stringValue,
            sentSecret: json["client_secret"]?.stringValue.map(Secret.init), token: bearer(request))
        return respond(outcome)
    }

    /// `DELETE /oauth2/register?client_id=…` (RFC 7592 §2.3).
    @Sendable func remove(_ request: Request, _ context: WebContext) async throws -> Response {
        respond(try await registrar.remove(try clientID(request), token: bearer(request)))
    }

    private func clientID(_ request: Request) throws -> String? {
        try request.queryParameters().one("client_id")
    }

    private func bearer(_ request: Request) -> Secret? {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == TokenType.bearer.lowercased() else { return nil }
        return Secret(String(parts[1].drop { $0 == " " }))
    }

    private func metadata(_ request: Request) async throws -> (ClientMetadata, JSONValue) {
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.trimmingPrefix(" ").hasPrefix("application/json") else {
            throw Unreadable(status: .unsupportedMediaType, detail: "the body must be application/json")
        }
        let tooLarge = Unreadable(status: .contentTooLarge, detail: "the body is too large")
        let bytesMax = Limits.registrationBytesMax
        if let length = request.headers[.contentLength].flatMap(Int.init), length > bytesMax { throw tooLarge }
        do {
            let buffer = try await request.body.collect(upTo: bytesMax)
            let limits = JSONValue.Limits(bytesMax: bytesMax, depthMax: Limits.bodyDepthMax)
            let json = try JSONValue(parsing: buffer.readableBytesView, limits: limits)
            return (try JSONDecoder().decode(ClientMetadata.self, from: Data(json.serialized)), json)
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch is JSONProblem {
            throw OAuthProblem(.invalidClientMetadata, "the body is not JSON as it should be")
        } catch is DecodingError {
            throw OAuthProblem(.invalidClientMetadata, "a member is of another type than RFC 7591 says")
        }
    }

    private func respond(_ outcome: ClientRegistrar.Outcome, status: HTTPResponse.Status = .ok) -> Response {
        switch outcome {
        case .entry(let entry):
            return .json(json(entry), status: status)
        case .removed:
            return Response(status: .noContent, headers: [.cacheControl: "no-store"])
        case .unauthorized:
            let problem = OAuthProblem(.invalidToken, "the bearer token is missing, or does not open this entry")
            return .problem(problem, headers: [.wwwAuthenticate: "Bearer error=\"invalid_token\""])
        case .throttled(let seconds):
            let problem = OAuthProblem(
                .temporarilyUnavailable, "too many registrations from this network, or changes of this client")
            return Self.with(
                .tooManyRequests, .problem(problem), retryAfter: seconds)
        case .full:
            return .problem(OAuthProblem(.temporarilyUnavailable, "no more clients can register themselves"))
        }
    }

    private static func with(_ status: HTTPResponse.Status, _ response: Response, retryAfter seconds: Int) -> Response {
        var headers = response.headers
        headers[.retryAfter] = String(seconds)
        return Response(status: status, headers: headers, body: response.body)
    }

    /// RFC 7591 §3.2.1, RFC 7592 §3.
    private func json(_ entry: ClientRegistrar.Entry) -> [UInt8] {
        let base = project.issuer.hasSuffix("/") ? String(project.issuer.dropLast()) : project.issuer
        let metadata =
            (try? JSONEncoder().encode(entry.client.metadata)).flatMap { try? JSONValue(parsing: Array($0)) }?
            .objectValue ?? [:]
        return JSONWriter.object { json in
            json.member("client_id", entry.client.id)
            json.member("client_secret", entry.secret?.exposed())
            if entry.secret != nil { json.member("client_secret_expires_at", Int64(0)) }
            json.member("client_id_issued_at", entry.registeredAt.rawValue)
            json.member("registration_access_token", entry.token.exposed())
            json.member(
                "registration_client_uri",
                "\(base)\(Routes.registration)?client_id=\(FormParameters.percentEncode(entry.client.id))")
            for (name, value) in metadata.sorted(by: { $0.key < $1.key }) { json.member(named: name, value) }
        }
    }
}
