internal import Foundation
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `/oauth2/register`: clients register themselves, and manage their own entries (RFC 7591, RFC 7592). Only if the
/// operator switched it on.
struct RegistrationRoutes: Sendable {
    let checks: Checks

    var routes: [Route] {
        guard let registrar = checks.services.registrar else { return [] }
        let handler = RegistrationHandler(registrar: registrar, checks: checks)
        return [
            Route(.post, Routes.registration, handler.newcomer, handler: handler.register),
            Route(.get, Routes.registration, handler.holder, handler: handler.read),
            Route(.put, Routes.registration, handler.changer, handler: handler.replace),
            Route(.delete, Routes.registration, handler.holder, handler: handler.remove),
        ]
    }
}

private struct RegistrationHandler: Sendable {
    let registrar: ClientRegistrar
    let checks: Checks

    private var project: Project { checks.services.project }

    /// The metadata that a client sends about itself.
    struct RegistrationRequest: Sendable {
        let metadata: ClientMetadata
        /// The whole body.
        let json: JSONValue
    }

    /// A client that may register.
    var newcomer: Check<(RegistrationRequest, RegistrationPermit)> {
        Check { request, _ in try await asked(request) }.then(.initialAccessToken(of: registrar)) {
            asked, request, context in
            guard let permit = checks.registrationPermit(request, context, registrar) else { throw refused }
            return (asked, permit)
        }
    }

    /// The client of an entry, by its registration token.
    var holder: Check<RegistrationHolder> {
        Check(.registrationToken) { request, _ in try holder(request) }
    }

    /// The client of an entry, with its new metadata.
    var changer: Check<(RegistrationRequest, RegistrationHolder)> {
        Check { request, _ in try await asked(request) }.then(.registrationToken) { asked, request, _ in
            (asked, try holder(request))
        }
    }

    private func holder(_ request: Request) throws -> RegistrationHolder {
        let id = try request.queryParameters().one("client_id")
        guard let holder = checks.registrationHolder(of: id, request, registrar) else { throw refused }
        return holder
    }

    private var refused: Refused { Refused(respond(.unauthorized)) }

    /// `POST /oauth2/register` (RFC 7591 §3.1).
    @Sendable func register(
        _ asked: (RegistrationRequest, RegistrationPermit), _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let outcome = try await registrar.register(
            asked.0.metadata, by: asked.1, from: checks.addresses.address(of: request, context))
        return respond(outcome, status: .created)
    }

    /// `GET /oauth2/register?client_id=…` (RFC 7592 §2.1).
    @Sendable func read(_ holder: RegistrationHolder) async throws -> Response {
        respond(registrar.read(holder))
    }

    /// `PUT /oauth2/register?client_id=…` (RFC 7592 §2.2).
    @Sendable func replace(_ asked: (RegistrationRequest, RegistrationHolder)) async throws -> Response {
        let json = asked.0.json
        let outcome = try await registrar.replace(
            asked.1, with: asked.0.metadata, sentID: json["client_id"]?.stringValue,
            sentSecret: json["client_secret"]?.stringValue.map(Secret.init))
        return respond(outcome)
    }

    /// `DELETE /oauth2/register?client_id=…` (RFC 7592 §2.3).
    @Sendable func remove(_ holder: RegistrationHolder) async throws -> Response {
        respond(try await registrar.remove(holder))
    }

    private func asked(_ request: Request) async throws -> RegistrationRequest {
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.trimmingPrefix(" ").hasPrefix("application/json") else {
            throw Unreadable(status: .unsupportedMediaType, detail: "the body must be application/json")
        }
        do {
            let json = try await request.json(max: Limits.registrationBytesMax) ?? .null
            return RegistrationRequest(
                metadata: try JSONDecoder().decode(ClientMetadata.self, from: Data(json.serialized)), json: json)
        } catch let unreadable as Unreadable where unreadable.status == .badRequest {
            throw OAuthProblem(.invalidClientMetadata, unreadable.detail)
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
