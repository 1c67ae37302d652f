internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
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
            frame.sessionRoute(
                .post, "/v1/auth/totp/update", reading: { try $0.body.requiredText("loginId") }
            ) { loginID, session, _ in
                try await authenticators.update(session.presented, loginID: loginID).json
            },
            frame.route(.post, "/v1/auth/totp/verify") { request in
                let asked = try VerifyCodeRequest(request.body)
                let presented = try await frame.checks.session(request.bearer, for: asked.options)
                let shown = try await presented == nil ? frame.checks.sessionIfGood(request.bearer) : presented
                let proof = try await authenticators.verify(
                    loginID: asked.loginID, code: asked.code, options: asked.options, presented: presented,
                    from: request.address)
                return try await frame.open(proof, request, shown: shown)
            },
        ]
    }
}
