internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import SignIn

/// `/v1/auth/otp/…`: codes by mail, text message or phone call.
struct OneTimeCodeRoutes: Sendable {
    let frame: DescopeMiddleware

    private var codes: OneTimeCodes { frame.services.methods.codes }

    var routes: [Route] {
        DeliveryMethod.allCases.flatMap { method in
            [
                frame.route(.post, "/v1/auth/otp/signup/\(method.rawValue)") { request in
                    try await codes.send(request.signUp(method)).json
                },
                frame.route(.post, "/v1/auth/otp/signin/\(method.rawValue)") { request in
                    try await codes.send(frame.signIn(request, .signIn, method)).json
                },
                frame.route(.post, "/v1/auth/otp/signup-in/\(method.rawValue)") { request in
                    try await codes.send(frame.signIn(request, .signUpOrIn, method)).json
                },
                frame.route(.post, "/v1/auth/otp/verify/\(method.rawValue)") { request in
                    let asked = try VerifyCodeRequest(request.body)
                    let proof = try await codes.verify(
                        loginID: asked.loginID, code: asked.code, method: method,
                        in: try await frame.checks.sessionIfGood(request.bearer), from: request.address)
                    return try await frame.open(proof, request)
                },
            ]
        } + frame.updateRoutes("otp") { update in try await codes.send(update).json }
    }
}
