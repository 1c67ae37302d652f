internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import SignIn

/// `/v1/auth/otp/…`: codes by mail, text message or phone call.
struct OneTimeCodeRoutes: Sendable {
    let frame: DescopeMiddleware

    private var codes: OneTimeCodes { frame.services.methods.codes }

    var routes: [Route] {
        frame.messageRoutes("otp") { ask in try await codes.send(ask).json }
            + DeliveryMethod.allCases.map { method in
                frame.route(.post, "/v1/auth/otp/verify/\(method.rawValue)") { request in
                    let asked = try VerifyCodeRequest(request.body)
                    let shown = try await frame.checks.sessionIfGood(request.bearer)
                    let proof = try await codes.verify(
                        loginID: asked.loginID, code: asked.code, method: method, in: shown, from: request.address)
                    return try await frame.open(proof, request, shown: shown)
                }
            }
            + frame.updateRoutes("otp") { update in try await codes.send(update).json }
    }
}
