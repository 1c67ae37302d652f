internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire

/// `/v1/auth/webauthn/…`: passkeys of this server's users, each ceremony in two calls.
struct PasskeyRoutes: Sendable {
    let frame: MethodFrame

    private var passkeys: UserPasskeys { frame.services.methods.passkeys }

    var routes: [Route] {
        [
            start("signup", .signUp), start("signin", .signIn), start("signup-in", .signUpOrIn),
            frame.route(.post, "/v1/auth/webauthn/update/start", [.session]) { request in
                try await begin(request, .update, presented: try await frame.presented(request))
            },
            finish("signup") { request in
                try await frame.open(
                    try await passkeys.finishSignUp(PasskeyFinishRequest(request.body), from: request.address), request)
            },
            finish("signin") { request in
                try await frame.open(
                    try await passkeys.finishSignIn(PasskeyFinishRequest(request.body), from: request.address), request)
            },
            finish("update") { request in
                try await passkeys.finishUpdate(PasskeyFinishRequest(request.body), from: request.address)
                return [:]
            },
        ]
    }

    private func start(_ name: String, _ intent: PasskeyAsk.Intent) -> Route {
        frame.route(.post, "/v1/auth/webauthn/\(name)/start") { request in
            let asked = try PasskeyStartRequest(request.body)
            return try await begin(
                request, intent, presented: try await frame.presented(request, for: asked.options))
        }
    }

    private func finish(
        _ name: String, run: @escaping @Sendable (MethodRequest) async throws -> JSONValue
    ) -> Route {
        frame.route(
            .post, "/v1/auth/webauthn/\(name)/finish", bodyBytesMax: Limits.passkeyBodyBytesMax, run: run)
    }

    private func begin(_ request: MethodRequest, _ intent: PasskeyAsk.Intent, presented: PresentedRefresh?)
        async throws -> JSONValue
    {
        try await passkeys.begin(
            PasskeyAsk(intent, PasskeyStartRequest(request.body), presented: presented, from: request.address)
        ).json
    }
}
