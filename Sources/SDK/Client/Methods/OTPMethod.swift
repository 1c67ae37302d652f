internal import KeyturnBase
public import KeyturnWire

/// One-time codes: one call sends a code, the next proves that it arrived.
///
/// ```swift
/// let masked = try await auth.otp.signUpOrIn(with: .email, loginId: "andy@example.com")
/// let response = try await auth.otp.verify(with: .email, loginId: "andy@example.com", code: "123456")
/// ```
public struct OTPMethod: Sendable {
    let access: MethodAccess

    /// Sends a code to a new user.
    ///
    /// - Parameters:
    ///   - method: How the code travels.
    ///   - loginId: The address to send to, and the user's identifier from now on.
    ///   - details: What else is known about the person.
    /// - Returns: The address, most of it hidden.
    /// - Throws: `service.unsupported`; `argument.invalid`; `server.refused` with the server's code, see
    ///   ``KeyturnBase/AuthError/methodCode``; `transport.unavailable`; `protocol.violation`.
    @discardableResult
    public func signUp(
        with method: DeliveryMethod, loginId: String, details: SignUpDetails? = nil
    ) async throws(AuthError) -> String {
        let request = SignUpRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), details: details ?? SignUpDetails())
        return try MethodAccess.masked(await access.send("/v1/auth/otp/signup/\(method.rawValue)", request))
    }

    /// Sends a code to a user who has an account.
    ///
    /// - Parameters:
    ///   - method: How the message is sent.
    ///   - loginId: What the user signs in with: an email address, a telephone number or another name.
    ///   - options: With `.stepup` and `.mfa` the container's session goes on.
    /// - Returns: The address, most of it hidden.
    /// - Throws: as ``signUp(with:loginId:details:)``; `session.signed_out` for `.stepup` and `.mfa` without a session.
    @discardableResult
    public func signIn(
        with method: DeliveryMethod, loginId: String, options: [SignInOption] = []
    ) async throws(AuthError) -> String {
        try await start("signin", method, loginId, options)
    }

    /// Sends a code to a user who may or may not have an account.
    ///
    /// - Returns: The address, most of it hidden.
    /// - Throws: as ``signIn(with:loginId:options:)``.
    @discardableResult
    public func signUpOrIn(
        with method: DeliveryMethod, loginId: String, options: [SignInOption] = []
    ) async throws(AuthError) -> String {
        try await start("signup-in", method, loginId, options)
    }

    /// Signs in with the code. When this returns the container has the session, and it is durable.
    ///
    /// - Throws: as ``signUp(with:loginId:details:)``; `store.unavailable`, and the code has not been used;
    ///   `session.signed_out` if the session was given up meanwhile.
    @discardableResult
    public func verify(
        with method: DeliveryMethod, loginId: String, code: String
    ) async throws(AuthError) -> AuthenticationResponse {
        let request = VerifyCodeRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), code: try MethodAccess.secret(code, "code"))
        return try await access.prove("/v1/auth/otp/verify/\(method.rawValue)", request, showsSession: true)
    }

    /// Sends a code to a new address of the person who is signed in; verifying it gives them the address.
    ///
    /// - Parameters:
    ///   - email: The email address.
    ///   - loginId: What the user signs in with: an email address, a telephone number or another name.
    ///   - refreshJwt: Whose session; `nil`: the container's.
    ///   - options: What else changes with it.
    /// - Returns: The address, most of it hidden.
    /// - Throws: as ``signIn(with:loginId:options:)``; `session.signed_out`.
    @discardableResult
    public func updateEmail(
        _ email: String, loginId: String, refreshJwt: String? = nil, options: UpdateOptions = []
    ) async throws(AuthError) -> String {
        let request = try UpdateAddressRequest(loginId, email: email, options: options)
        return try MethodAccess.masked(
            await access.sendSignedIn("/v1/auth/otp/update/email", request, refreshJwt: refreshJwt))
    }

    /// Sends a code to a new telephone number of the signed-in user; verifying it gives them the number.
    ///
    /// - Throws: as ``updateEmail(_:loginId:refreshJwt:options:)``; `argument.invalid` for `email`.
    @discardableResult
    public func updatePhone(
        _ phone: String, with method: DeliveryMethod, loginId: String, refreshJwt: String? = nil,
        options: UpdateOptions = []
    ) async throws(AuthError) -> String {
        let request = try UpdateAddressRequest(loginId, phone: phone, with: method, options: options)
        return try MethodAccess.masked(
            await access.sendSignedIn(
                "/v1/auth/otp/update/phone/\(method.rawValue)", request, refreshJwt: refreshJwt))
    }

    private func start(
        _ verb: String, _ method: DeliveryMethod, _ loginId: String, _ options: [SignInOption]
    ) async throws(AuthError) -> String {
        let (session, options) = (options.refreshJwt, LoginOptions(options))
        let request = SignInRequest(loginID: try MethodAccess.checked(loginId, "loginId"), options: options)
        return try MethodAccess.masked(
            await access.send(
                "/v1/auth/otp/\(verb)/\(method.rawValue)", request, options: options, refreshJwt: session))
    }
}

extension UpdateAddressRequest {
    /// - Throws: `argument.invalid`.
    init(
        _ loginId: String, email: String? = nil, phone: String? = nil, with method: DeliveryMethod? = nil,
        redirectURL: String? = nil, options: UpdateOptions
    ) throws(AuthError) {
        guard method != .email else {
            throw AuthError(.invalidArgument, "a telephone number is not proved by email")
        }
        if let email { try MethodAccess.checked(email, "email") }
        if let phone { try MethodAccess.checked(phone, "phone") }
        self.init(
            loginID: try MethodAccess.checked(loginId, "loginId"), email: email, phone: phone,
            redirectURL: redirectURL, addToLoginIDs: options.contains(.addToLoginIds),
            onMergeUseExisting: options.contains(.onMergeUseExisting))
    }
}
