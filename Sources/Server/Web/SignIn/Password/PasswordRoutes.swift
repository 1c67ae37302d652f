internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import SignIn

/// `/v1/auth/password/…`.
struct PasswordRoutes: Sendable {
    let frame: DescopeMiddleware

    private var passwords: PasswordMethods { frame.services.methods.passwords }

    var routes: [Route] {
        [
            frame.route(.post, "/v1/auth/password/signup", run: signUp),
            frame.route(.post, "/v1/auth/password/signin", run: signIn),
            frame.route(.post, "/v1/auth/password/replace", run: replace),
            frame.sessionRoute(
                .post, "/v1/auth/password/update", reading: { try ChangePasswordRequest($0.body) }, run: update),
            frame.route(.post, "/v1/auth/password/reset", run: reset),
            frame.route(.get, "/v1/auth/password/policy") { _ in passwords.policyAnswer.json },
        ]
    }

    private func signUp(_ request: MethodRequest) async throws -> JSONValue {
        let asked = try SignUpRequest(request.body)
        guard let password = asked.password else { throw MethodProblem.missing("password") }
        let proof = try await passwords.signUp(
            loginID: asked.loginID, password: password, details: asked.details, options: asked.options,
            from: request.address)
        return try await frame.open(proof, request)
    }

    private func signIn(_ request: MethodRequest) async throws -> JSONValue {
        let asked = try SignInRequest(request.body)
        guard let password = asked.password else { throw MethodProblem.missing("password") }
        let proof = try await passwords.signIn(
            loginID: asked.loginID, password: password, options: asked.options,
            presented: try await frame.checks.session(request.bearer, for: asked.options), from: request.address)
        return try await frame.open(proof, request)
    }

    private func replace(_ request: MethodRequest) async throws -> JSONValue {
        let asked = try ChangePasswordRequest(request.body)
        guard let old = asked.oldPassword else { throw MethodProblem.missing("oldPassword") }
        let proof = try await passwords.replace(
            loginID: asked.loginID, old: old, new: asked.newPassword, from: request.address)
        return try await frame.open(proof, request)
    }

    private func update(
        _ asked: ChangePasswordRequest, _ session: LiveSession, _ request: MethodRequest
    ) async throws -> JSONValue {
        try await passwords.update(
            session.presented, loginID: asked.loginID, new: asked.newPassword, from: request.address)
        return [:]
    }

    private func reset(_ request: MethodRequest) async throws -> JSONValue {
        let asked = try PasswordResetRequest(request.body)
        return try await passwords.reset(
            loginID: asked.loginID, redirectURL: asked.redirectURL, options: asked.options, from: request.address
        ).json
    }
}
