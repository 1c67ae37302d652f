internal import KeyturnBase
public import KeyturnWire

/// Magic links: one call sends a link; following it brings its token back to the app.
public struct MagicLinkMethod: Sendable {
    let access: MethodAccess

    /// Sends a link to a new user.
    ///
    /// - Parameters:
    ///   - method: How the link travels.
    ///   - loginId: The address to send to, and the user's identifier from now on.
    ///   - details: What else is known about the person.
    ///   - redirectURL: Where the link leads, with the token as `t`; `nil`: where the project says.
    /// - Returns: The address, most of it hidden.
    /// - Throws: `service.unsupported`; `argument.invalid`; `server.refused` with the server's code, see
    ///   ``KeyturnBase/AuthError/methodCode``; `transport.unavailable`; `protocol.violation`.
    @discardableResult
    public func signUp(
        with method: DeliveryMethod, loginId: String, details: SignUpDetails? = nil, redirectURL: String? = nil
    ) async throws(AuthError) -> String {
        let request = SignUpRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), details: details ?? SignUpDetails(),
            redirectURL: redirectURL)
        return try MethodAccess.masked(await access.send("/v1/auth/magiclink/signup/\(method.rawValue)", request))
    }

    /// Sends a link to a user who has an account.
    ///
    /// - Parameters:
    ///   - method: How the message is sent.
    ///   - loginId: What the user signs in with: an email address, a telephone number or another name.
    ///   - redirectURL: Where the link leads; `nil`: where the project says.
    ///   - options: With `.stepup` and `.mfa` the container's session goes on.
    /// - Returns: The address, most of it hidden.
    /// - Throws: as ``signUp(with:loginId:details:redirectURL:)``; `session.signed_out` for `.stepup` and `.mfa`
    ///   without a session.
    @discardableResult
    public func signIn(
        with method: DeliveryMethod, loginId: String, redirectURL: String? = nil, options: [SignInOption] = []
    ) async throws(AuthError) -> String {
        try await start("signin", method, loginId, redirectURL, options)
    }

    /// Sends a link to a user who may or may not have an account.
    ///
    /// - Returns: The address, most of it hidden.
    /// - Throws: as ``signIn(with:loginId:redirectURL:options:)``.
    @discardableResult
    public func signUpOrIn(
        with method: DeliveryMethod, loginId: String, redirectURL: String? = nil, options: [SignInOption] = []
    ) async throws(AuthError) -> String {
        try await start("signup-in", method, loginId, redirectURL, options)
    }

    /// Signs in with the token of a link. When this returns the container has the session, and it is durable.
    ///
    /// - Parameter token: The parameter `t` of the address that the link led to.
    /// - Throws: as ``signUp(with:loginId:details:redirectURL:)``; `store.unavailable`, and the token has not been
    ///   used; `session.signed_out` if the session was given up meanwhile.
    @discardableResult
    public func verify(token: String) async throws(AuthError) -> AuthenticationResponse {
        let request = VerifyTokenRequest(token: try MethodAccess.secret(token, "token"))
        return try await access.prove("/v1/auth/magiclink/verify", request, showsSession: true)
    }

    /// Sends a link to a new address of the person who is signed in; verifying its token gives them the address.
    ///
    /// - Parameters:
    ///   - email: The email address.
    ///   - loginId: What the user signs in with: an email address, a telephone number or another name.
    ///   - redirectURL: Where the link leads; `nil`: where the project says.
    ///   - refreshJwt: Whose session; `nil`: the container's.
    ///   - options: What else changes with it.
    /// - Returns: The address, most of it hidden.
    /// - Throws: as ``signIn(with:loginId:redirectURL:options:)``; `session.signed_out`.
    @discardableResult
    public func updateEmail(
        _ email: String, loginId: String, redirectURL: String? = nil, refreshJwt: String? = nil,
        options: UpdateOptions = []
    ) async throws(AuthError) -> String {
        let request = try UpdateAddressRequest(loginId, email: email, redirectURL: redirectURL, options: options)
        return try MethodAccess.masked(
            await access.sendSignedIn("/v1/auth/magiclink/update/email", request, refreshJwt: refreshJwt))
    }

    /// Sends a link to a new telephone number of the signed-in user; verifying it gives them the number.
    ///
    /// - Throws: as ``updateEmail(_:loginId:redirectURL:refreshJwt:options:)``; `argument.invalid` for
    ///   `email`.
    @discardableResult
    public func updatePhone(
        _ phone: String, with method: DeliveryMethod, loginId: String, redirectURL: String? = nil,
        refreshJwt: String? = nil, options: UpdateOptions = []
    ) async throws(AuthError) -> String {
        let request = try UpdateAddressRequest(
            loginId, phone: phone, with: method, redirectURL: redirectURL, options: options)
        return try MethodAccess.masked(
            await access.sendSignedIn(
                "/v1/auth/magiclink/update/phone/\(method.rawValue)", request, refreshJwt: refreshJwt))
    }

    private func start(
        _ verb: String, _ method: DeliveryMethod, _ loginId: String, _ redirectURL: String?,
        _ options: [SignInOption]
    ) async throws(AuthError) -> String {
        let (session, options) = (options.refreshJwt, LoginOptions(options))
        let request = SignInRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), redirectURL: redirectURL, options: options)
        return try MethodAccess.masked(
            await access.send(
                "/v1/auth/magiclink/\(verb)/\(method.rawValue)", request, options: options, refreshJwt: session))
    }
}
