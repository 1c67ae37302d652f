internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/v1/approvals`: an app of the operator shows its user the sign-ins that wait for an approval, and decides them. The same
/// as `/settings/approvals`, in the app's session.
///
/// The app presents its refresh token, which is not spent. An access token would not do: resource servers have it too.
struct ApprovalRoutes: Sendable {
    let checks: Checks

    private var services: IdentityServices { checks.services }

    var routes: [Route] {
        [
            Route(
                .post, Routes.approvals,
                open: "the refresh token in the body, and the proof of its key, are checked",
                sharing: .clients, handler: answer)
        ]
    }

    /// `POST {"refresh_token": …}` lists what waits; with `id`, `action` and `number` it decides.
    @Sendable private func answer(_ request: Request, _ context: WebContext) async throws -> Response {
        let body = try await request.jsonObject(max: Limits.appSessionBodyBytesMax)
        guard let json = body, let token = json["refresh_token"]?.stringValue else {
            return .problem(OAuthProblem(.invalidRequest, "the body is a JSON object with refresh_token"))
        }
        let grant = try await grant(of: Secret(token), request)
        guard let action = json["action"] else { return try await list(grant) }
        guard let id = json["id"]?.stringValue, let action = action.stringValue.flatMap(Action.init(rawValue:)) else {
            return .problem(OAuthProblem(.invalidRequest, "the body names an id and an action"))
        }
        return try await decide(
            id, action, number: json["number"]?.integerValue, in: grant,
            from: checks.addresses.address(of: request, context))
    }

    private enum Action: String {
        case approve, deny
        case notMe = "not_me"
    }

    /// The app's session.
    ///
    /// - Throws: ``OAuthProblem``: `invalid_grant` if it is over, or the token was replaced; `insufficient_scope` for a
    ///   client that is no public one of the operator's own, and for a session that is not for the whole account.
    private func grant(of token: Secret, _ request: Request) async throws -> Grant {
        do {
            return try await services.appSessions.ofWholeAccount(
                token, request.proofPresentation(services.project, Routes.approvals))
        } catch let problem as MethodProblem where problem == .tokenRevoked {
            throw OAuthProblem(.invalidGrant, "the refresh token is not good, or no longer")
        } catch let problem as MethodProblem {
            throw OAuthProblem(.insufficientScope, problem.message ?? "this session decides nothing")
        }
    }

    private func list(_ grant: Grant) async throws -> Response {
        let waiting = try await services.backchannel.waiting(for: grant.userID)
        return .json(
            JSONWriter.object { writer in
                writer.member("approvals", .array(waiting.map { json($0) }))
            })
    }

    private func json(_ waiting: WaitingApproval) -> JSONValue {
        let request = waiting.request
        var members: [String: JSONValue] = [
            "id": .string(request.name), "client_name": .string(waiting.name),
            "purpose": .string(request.purpose.rawValue), "created_at": .integer(request.createdAt.rawValue),
            "expires_at": .integer(request.expiresAt.rawValue),
            "needs_several_factors": .bool(request.needsSeveralFactors),
        ]
        if request.purpose == .tokens { members["scope"] = .string(request.scope.text) }
        if !waiting.claims.isEmpty { members["claims"] = .array(waiting.claims.sorted().map { .string($0) }) }
        if !waiting.resources.isEmpty {
            members["resources"] = .array(services.clients.named(waiting.resources).map(Self.resource))
        }
        members["binding_message"] = request.bindingMessage.map { .string($0) }
        members["network"] = request.network.map { .string($0) }
        members["device"] = request.device.map { .string($0) }
        return .object(members)
    }

    private static func resource(_ resource: NamedResource) -> JSONValue {
        var members: [String: JSONValue] = ["uri": .string(resource.uri)]
        members["name"] = resource.name.map { .string($0) }
        return .object(members)
    }

    /// It needs a recent sign-in of the app's user.
    private func decide(
        _ id: String, _ action: Action, number: Int64?, in grant: Grant, from address: NetworkAddress?
    ) async throws -> Response {
        let authentication = grant.authentication
        guard services.ambient.now() < authentication.time + Limits.sensitiveSeconds else {
            return Self.stepUp("max_age=\"\(Limits.sensitiveSeconds)\"")
        }
        guard let waiting = try await services.backchannel.waiting(id, for: grant.userID) else {
            return Self.refused(.conflict, "too_late", "the request is over, or never was the user's")
        }
        let approver = Approver(grant)
        guard !authentication.isOfApproval else {
            return Self.refused(.forbidden, "chained", "the session was itself opened by an approval")
        }
        guard action == .approve else {
            return Self.answer(
                try await services.backchannel.deny(
                    waiting.request, isUnknown: action == .notMe, by: approver, from: address))
        }
        guard try await !services.backchannel.needsFactor(waiting.request, approver) else {
            return Self.stepUp("acr_values=\"\(AuthenticationFacts.severalFactorsClass)\"")
        }
        guard let number, (10...99).contains(number) else {
            return .problem(OAuthProblem(.invalidRequest, "number is missing, or has not two digits"))
        }
        return Self.answer(
            try await services.backchannel.allow(waiting, number: number, by: approver, from: address))
    }

    private static func answer(_ decision: BackchannelDecision) -> Response {
        switch decision {
        case .made: Response(status: .noContent, headers: [.cacheControl: "no-store"])
        case .wrongNumber: refused(.unprocessableContent, "wrong_number", "the number denied the request")
        case .tooLate: refused(.conflict, "too_late", "the request is over")
        case .signedOut: refused(.conflict, "too_late", "the user was signed out")
        }
    }

    private static func refused(_ status: HTTPResponse.Status, _ code: String, _ text: String) -> Response {
        .json(
            JSONWriter.object { json in
                json.member("error", code)
                json.member("error_description", text)
            }, status: status)
    }

    /// The demand for another sign-in, in the words of RFC 9470 §3.
    private static func stepUp(_ demand: String) -> Response {
        let problem = OAuthProblem(.insufficientUserAuthentication, "the user must sign in again")
        var response = Response.problem(problem)
        response.status = .unauthorized
        response.headers[.wwwAuthenticate] = "\(TokenType.bearer) error=\"\(problem.code.rawValue)\", \(demand)"
        return response
    }
}
