internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/v1/auth/totp/…`: authenticator apps.
struct TOTPRoutes: Sendable {
    let frame: DescopeMiddleware

    private var authenticators: TOTPAuthenticators { frame.services.methods.authenticators }

    var routes: [Route] {
        [
            frame.route(.post, "/v1/auth/totp/signup") { request in
                let asked = try SignUpRequest(request.body)
                return try await authenticators.signUp(
                    loginID: asked.loginID, details: asked.details, options: asked.options, from: request.address
                ).json
            },
            frame.route(.post, "/v1/auth/totp/update", frame.sessionOrPending) { try await update($0.0, $0.1, $0.2) },
            frame.route(.post, "/v1/auth/totp/verify") { request in
                let asked = try VerifyCodeRequest(request.body)
                if let pending = try frame.checks.pendingSignIn(request.bearer) {
                    return try await complete(pending, asked, request)
                }
                let presented = try await frame.checks.session(request.bearer, for: asked.options)
                let shown = try await presented == nil ? frame.checks.sessionIfGood(request.bearer) : presented
                let proof = try await authenticators.verify(
                    loginID: asked.loginID, code: asked.code, options: asked.options, presented: presented,
                    from: request.address)
                return try await frame.open(proof, request, shown: shown)
            },
        ]
    }

    private func update(_ loginID: String, _ owner: SessionOrPending, _ request: MethodRequest) async throws
        -> JSONValue
    {
        switch owner {
        case .session(let session): return try await authenticators.update(session.presented, loginID: loginID).json
        case .pending(let pending):
            let account = try await frame.services.sessions.accountToSetUp(of: pending)
            return try await authenticators.setUp(
                account, loginID: loginID, begunIn: pending.authenticatorSession, after: pending.facts
            ).json
        }
    }

    /// The second factor of a sign-in that began by another method.
    private func complete(
        _ pending: PendingSignIn, _ asked: VerifyCodeRequest, _ request: MethodRequest
    ) async throws -> JSONValue {
        _ = try await frame.services.sessions.account(of: pending)
        let proof = try await authenticators.verify(
            loginID: asked.loginID, code: asked.code, setUpIn: pending.authenticatorSession, from: request.address)
        return try await frame.complete(pending, by: proof, request)
    }
}
