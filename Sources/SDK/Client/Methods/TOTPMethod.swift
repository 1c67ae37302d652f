internal import KeyturnBase
public import KeyturnWire

/// Authenticators: an app on the person's device shows a new code every half a minute.
public struct TOTPMethod: Sendable {
    let access: MethodAccess

    /// Makes an authenticator for a new user. The first ``verify(loginId:code:options:)`` completes it.
    ///
    /// - Throws: `service.unsupported`; `argument.invalid`; `server.refused` with the server's code, see
    ///   ``KeyturnBase/AuthError/methodCode``; `transport.unavailable`; `protocol.violation`.
    public func signUp(loginId: String, details: SignUpDetails? = nil) async throws(AuthError) -> TOTPResponse {
        let request = SignUpRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), details: details ?? SignUpDetails())
        return try TOTPResponse(await access.send("/v1/auth/totp/signup", request))
    }

    /// Makes an authenticator for the person who is signed in, in place of the one there is; or for the one whose sign-in
    /// waits for a second factor to be set up.
    ///
    /// - Parameters:
    ///   - loginId: What the user signs in with: an email address, a telephone number or another name.
    ///   - refreshJwt: Whose session; `nil`: the container's.
    /// - Throws: as ``signUp(loginId:details:)``; `session.signed_out`.
    public func update(loginId: String, refreshJwt: String? = nil) async throws(AuthError) -> TOTPResponse {
        let request = SignInRequest(loginID: try MethodAccess.checked(loginId, "loginId"))
        if refreshJwt == nil, let pending = await access.keeper.factorAwaited(), pending.setsUp {
            return try TOTPResponse(await access.send("/v1/auth/totp/update", request, completing: pending))
        }
        return try TOTPResponse(
            await access.sendSignedIn("/v1/auth/totp/update", request, refreshJwt: refreshJwt))
    }

    /// Signs in with the code that the authenticator shows. When this returns the container has the session, and it is
    /// durable. A sign-in by another method that waits for a second factor is completed.
    ///
    /// - Throws: as ``signUp(loginId:details:)``; `store.unavailable`; `session.signed_out` if the session was given up
    ///   meanwhile, and for `.stepup` and `.mfa` without one.
    @discardableResult
    public func verify(
        loginId: String, code: String, options: [SignInOption] = []
    ) async throws(AuthError) -> AuthenticationResponse {
        let (session, options) = (options.refreshJwt, LoginOptions(options))
        let request = VerifyCodeRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), code: try MethodAccess.secret(code, "code"),
            options: options)
        let pending = options.needsSession ? nil : await access.keeper.factorAwaited()
        return try await access.prove(
            "/v1/auth/totp/verify", request, options: options, refreshJwt: session, showsSession: true,
            completing: pending)
    }
}

/// What an authenticator app needs. Shown once: the service does not tell it again.
public struct TOTPResponse: Hashable, Sendable {
    /// The key URI (`otpauth:`). Opened on the same device, it adds itself.
    public let provisioningURL: String
    /// A picture of the key URI to scan, as PNG.
    public let image: [UInt8]
    /// The key for typing in.
    public let key: String

    init(_ reply: MethodReply) throws(AuthError) {
        let answer = try reply.message(TOTPAnswer.self)
        // The image is in standard base64 with padding; the decoder here takes the other alphabet without.
        let text = answer.image.exposed().replacing("+", with: "-").replacing("/", with: "_")
        guard let image = Base64URL.decode(Substring(text.prefix { $0 != "=" })) else {
            throw AuthError(.protocolViolation, "the picture is not base64")
        }
        guard answer.provisioningURL.exposed().hasPrefix("otpauth://") else {
            throw AuthError(.protocolViolation, "the address is not a key URI")
        }
        provisioningURL = answer.provisioningURL.exposed()
        self.image = image
        key = answer.key.exposed()
    }
}

extension TOTPResponse: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the key.
    public var description: String { "TOTPResponse" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
