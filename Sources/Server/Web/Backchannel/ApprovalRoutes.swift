internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/v1/approvals`: an app of the operator shows its user the sign-ins that wait for an approval, and decides them. The same
/// as `/settings/approvals`, in the app's session.
struct ApprovalRoutes: Sendable {
    let checks: Checks

    private var services: IdentityServices { checks.services }

    var routes: [Route] {
        [
            Route(.get, Routes.approvals, holder, sharing: .clients, handler: list),
            Route(.post, Routes.approvals, holder, sharing: .clients, handler: decide),
        ]
    }

    /// An app's access token, and the app.
    struct Holder: Sendable {
        let token: PersonalTokenHolder
        let client: Client

        fileprivate init(_ token: PersonalTokenHolder, _ client: Client) {
            self.token = token
            self.client = client
        }
    }

    @Sendable private func list(_ holder: Holder) async throws -> Response {
        let waiting = try await services.backchannel.waiting(for: holder.token.live.user.id)
        return .json(
            JSONWriter.object { json in
                json.member("approvals", .array(waiting.map { Self.json($0) }))
            })
    }

    private static func json(_ waiting: WaitingApproval) -> JSONValue {
        let request = waiting.request
        var members: [String: JSONValue] = [
            "id": .string(request.name), "client_name": .string(waiting.name),
            "purpose": .string(request.purpose.rawValue), "created_at": .integer(request.createdAt.rawValue),
            "expires_at": .integer(request.expiresAt.rawValue),
            "needs_several_factors": .bool(request.needsSeveralFactors),
        ]
        if request.purpose == .tokens { members["scope"] = .string(request.scope.text) }
        members["binding_message"] = request.bindingMessage.map { .string($0) }
        members["network"] = request.network.map { .string($0) }
        members["device"] = request.device.map { .string($0) }
        return .object(members)
    }

    /// `POST {"id": …, "action": "approve" | "deny" | "not_me", "number": …}`. It needs a recent sign-in of the app's user.
    @Sendable private func decide(_ holder: Holder, _ request: Request, _ context: WebContext) async throws -> Response
    {
        let body = try await request.bytes(max: Limits.appSessionBodyBytesMax)
        guard let json = try? JSONValue(parsing: body), let id = json["id"]?.stringValue,
            let action = json["action"]?.stringValue, ["approve", "deny", "not_me"].contains(action)
        else { return .problem(OAuthProblem(.invalidRequest, "the body names an id and an action")) }
        let authentication = holder.token.live.grant.authentication
        guard services.ambient.now() < authentication.time + Limits.sensitiveSeconds else {
            return stepUp(holder, "max_age=\"\(Limits.sensitiveSeconds)\"")
        }
        guard let waiting = try await services.backchannel.waiting(id, for: holder.token.live.user.id) else {
            return Self.refused(.conflict, "too_late", "the request is over, or never was the user's")
        }
        var number: Int64?
        if action == "approve" {
            guard !services.backchannel.isChained(authentication) else {
                return Self.refused(.forbidden, "chained", "the session was itself opened by an approval")
            }
            guard !services.backchannel.needsFactor(waiting.request, authentication) else {
                return stepUp(holder, "acr_values=\"\(AuthenticationFacts.severalFactorsClass)\"")
            }
            number = json["number"]?.integerValue
            guard let number, (10...99).contains(number) else {
                return .problem(OAuthProblem(.invalidRequest, "number is missing, or has not two digits"))
            }
        }
        let address = checks.addresses.address(of: request, context)
        let origin = SessionOrigin(address: address?.text, device: DeviceName.of(request.headers[.userAgent]))
        guard
            let session = try await services.appSessionTokens.session(
                of: holder.token.live, client: holder.client, origin)
        else { return Self.refused(.conflict, "too_late", "the user was signed out") }
        let decision =
            if let number {
                try await services.backchannel.allow(waiting, number: number, session: session, from: address)
            } else {
                try await services.backchannel.deny(
                    waiting.request, isUnknown: action == "not_me", session: session, from: address)
            }
        switch decision {
        case .made: return Response(status: .noContent, headers: [.cacheControl: "no-store"])
        case .wrongNumber: return Self.refused(.unprocessableContent, "wrong_number", "the number denied the request")
        case .tooLate: return Self.refused(.conflict, "too_late", "the request is over")
        case .signedOut: return Self.refused(.conflict, "too_late", "the user was signed out")
        }
    }

    private static func refused(_ status: HTTPResponse.Status, _ code: String, _ text: String) -> Response {
        var response = Response.json(
            JSONWriter.object { json in
                json.member("error", code)
                json.member("error_description", text)
            })
        response.status = status
        return response
    }

    /// RFC 9470 §3.
    private func stepUp(_ holder: Holder, _ demand: String) -> Response {
        let problem = OAuthProblem(.insufficientUserAuthentication, "the user must sign in again")
        var headers = checks.gate.challenge(problem, holder.token.shown)
        headers[.wwwAuthenticate] = headers[.wwwAuthenticate].map { "\($0), \(demand)" }
        return Response(
            status: .unauthorized, headers: headers, body: Response.problem(problem, headers: headers).body)
    }

    /// A person's token of the operator's own app, at first hand: one that was exchanged was handed on to do less.
    private var holder: Check<Holder> {
        Check(.accessToken) { request, _ in
            guard let shown = checks.shownToken(request) else { throw Refused(checks.noToken.response) }
            do {
                guard let holder = try await checks.personalHolder(shown, request, at: Routes.approvals) else {
                    throw OAuthProblem(.invalidToken, "the access token is not good, or no longer")
                }
                try checks.gate.requireUnrestricted(holder.token)
                guard let client = services.clients.client(holder.token.clientID), client.isFirstParty,
                    client.profile != .authgear || holder.token.scope.contains(AuthgearNames.fullAccess),
                    holder.token.actor == nil, holder.token.ancestors.isEmpty
                else { throw OAuthProblem(.insufficientScope, "the access token is not for the whole account") }
                return Holder(holder, client)
            } catch let problem as OAuthProblem {
                let answer = Response.problem(problem, headers: checks.gate.challenge(problem, shown))
                let status: HTTPResponse.Status = problem.code == .insufficientScope ? .forbidden : .unauthorized
                throw Refused(Response(status: status, headers: answer.headers, body: answer.body))
            }
        }
    }
}
