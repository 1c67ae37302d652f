internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SignIn

/// `/v1/auth/webauthn/…`: passkeys of this server's users; each ceremony takes two calls.
struct PasskeyRoutes: Sendable {
    let frame: DescopeMiddleware

    private var passkeys: UserPasskeys { frame.services.methods.passkeys }

    var routes: [Route] {
        [
            start("signup", .signUp), start("signin", .signIn), start("signup-in", .signUpOrIn),
            frame.sessionRoute(.post, "/v1/auth/webauthn/update/start", reading: Self.askedUpdate) {
                asked, session, request in
                try await begin(asked, request, .update, presented: session.presented)
            },
            finish("signup") { request in
                try await frame.open(
                    try await passkeys.finishSignUp(PasskeyFinishRequest(request.body), from: request.address), request)
            },
            finish("signin") { request in
                let pending = try frame.checks.pendingSignIn(request.bearer)
                if let pending { _ = try await frame.services.sessions.account(of: pending) }
                let proof = try await passkeys.finishSignIn(
                    PasskeyFinishRequest(request.body), from: request.address)
                // Another user's passkey signs that user in, as without a reference.
                guard let pending, pending.isOf(proof.identity.account.user.id) else {
                    return try await frame.open(proof, request)
                }
                return try await frame.complete(pending, by: proof, request)
            },
            finish("update") { request in
                let proof = try await passkeys.finishUpdate(
                    PasskeyFinishRequest(request.body), from: request.address)
                guard let proof else { return [:] }
                return ["jwt": try await frame.open(proof, request)]
            },
        ]
    }

    @Sendable private static func askedUpdate(_ request: MethodRequest) throws(MethodProblem) -> PasskeyStartRequest {
        var asked = try PasskeyStartRequest(request.body)
        if try request.body.flag("mfa") == true { asked.options.mfa = true }
        return asked
    }

    private func start(_ name: String, _ intent: PasskeyAsk.Intent) -> Route {
        frame.route(.post, "/v1/auth/webauthn/\(name)/start") { request in
            var asked = try PasskeyStartRequest(request.body)
            if intent == .signIn, let pending = try frame.checks.pendingSignIn(request.bearer) {
                _ = try await frame.services.sessions.account(of: pending)
                asked.options = .none
                return try await begin(asked, request, intent, presented: nil)
            }
            return try await begin(
                asked, request, intent, presented: try await frame.checks.session(request.bearer, for: asked.options))
        }
    }

    private func finish(
        _ name: String, run: @escaping @Sendable (MethodRequest) async throws -> JSONValue
    ) -> Route {
        frame.route(
            .post, "/v1/auth/webauthn/\(name)/finish", bodyBytesMax: Limits.passkeyBodyBytesMax, run: run)
    }

    private func begin(
        _ asked: PasskeyStartRequest, _ request: MethodRequest, _ intent: PasskeyAsk.Intent,
        presented: PresentedRefresh?
    ) async throws -> JSONValue {
        try await passkeys.begin(PasskeyAsk(intent, asked, presented: presented, from: request.address)).json
    }
}
