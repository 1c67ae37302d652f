internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// Sessions that the operator opens, changes and ends for users.
extension ManagementRoutes {
    var sessionRoutes: [Route] {
        [
            frame.route(.post, "/v1/mgmt/jwt/update") { request in
                let jwt = try request.body.requiredSecret("jwt")
                return Self.jwt(
                    try await services.sessions.update(jwt, .init(request.body), by: request.actor))
            },
            frame.route(.post, "/v1/mgmt/impersonate") { try await impersonate($0, steppedUp: false) },
            frame.route(.post, "/v1/mgmt/impersonate/stepup") { try await impersonate($0, steppedUp: true) },
            frame.route(.post, "/v1/mgmt/stop/impersonation") { request in
                let jwt = try request.body.requiredSecret("jwt")
                let answer = try await services.sessions.stopImpersonation(
                    jwt, .init(request.body), by: request.actor)
                return Self.jwt(answer.refreshJWT)
            },
            frame.route(.post, "/v1/mgmt/auth/signin", run: signIn),
            frame.route(.post, "/v1/mgmt/auth/signup") { try await signUp($0, mayExist: false) },
            frame.route(.post, "/v1/mgmt/auth/signup-in") { try await signUp($0, mayExist: true) },
        ]
    }

    /// The refresh token of a session as another user. If stepped up, the session token: only that one carries `su`.
    private func impersonate(_ request: ManagementRequest, steppedUp: Bool) async throws -> JSONValue {
        let body = request.body
        let impersonator = try await services.managedUsers.find(try body.requiredText("impersonatorId"))
        let account = try await services.managedUsers.find(try body.requiredText("loginId"))
        var options = try DescopeSessions.ManagedOptions(body)
        let isSteppedUp = steppedUp || options.login.stepup
        options.login.stepup = false
        let answer = try await services.sessions.impersonate(
            account, by: impersonator, needsConsent: try body.flag("validateConsent") ?? false, options,
            isSteppedUp: isSteppedUp, actor: request.actor)
        return Self.jwt(isSteppedUp ? answer.sessionJWT : answer.refreshJWT)
    }

    private func signIn(_ request: ManagementRequest) async throws -> JSONValue {
        let account = try await services.managedUsers.find(try request.body.requiredText("loginId"))
        var presented: PresentedRefresh?
        if let jwt = try request.body.secret("jwt") { presented = try await services.sessions.presented(jwt) }
        return try await services.sessions.open(
            for: account, .init(request.body), presented: presented, by: request.actor
        ).json
    }

    private func signUp(_ request: ManagementRequest, mayExist: Bool) async throws -> JSONValue {
        let loginID = try request.body.requiredText("loginId")
        let options = try DescopeSessions.ManagedOptions(request.body)
        if mayExist, let identifier = Identifier(loginID: loginID),
            var account = try await services.stores.users.account(identifier)
        {
            let word = identifier.kind == .phone ? "phoneVerified" : "emailVerified"
            if try request.body.flag(word) ?? false, account.identifiers[identifier] == .unverified {
                account = try await services.managedUsers.change(
                    account, "user.updated", as: .proveAddress, by: request.actor
                ) {
                    $0.noteVerified(identifier)
                }
            }
            return try await services.sessions.open(for: account, options, presented: nil, by: request.actor).json
        }
        var members = try request.body.object("user")
        members["loginId"] = .string(loginID)
        members["verifiedEmail"] = request.body.members["emailVerified"]
        members["verifiedPhone"] = request.body.members["phoneVerified"]
        let account = try await services.managedUsers.create(MethodBody(members), isTest: false, by: request.actor)
        return try await services.sessions.open(
            for: account, options, presented: nil, isFirst: true, by: request.actor
        ).json
    }

    private static func jwt(_ token: Secret?) -> JSONValue {
        ["jwt": .string(token?.exposed() ?? "")]
    }
}
