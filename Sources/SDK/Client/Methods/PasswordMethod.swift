internal import KeyturnBase
public import KeyturnWire

/// Passwords.
public struct PasswordMethod: Sendable {
    let access: MethodAccess

    /// Makes an account and signs in.
    ///
    /// - Throws: `service.unsupported`; `argument.invalid`; `server.refused` with the server's code, see
    ///   ``KeyturnBase/AuthError/methodCode``; `transport.unavailable`; `protocol.violation`; `store.unavailable`;
    ///   `session.signed_out` if the session was given up meanwhile.
    @discardableResult
    public func signUp(
        loginId: String, password: String, details: SignUpDetails? = nil
    ) async throws(AuthError) -> AuthenticationResponse {
        let request = SignUpRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), details: details ?? SignUpDetails(),
            password: try MethodAccess.secret(password, "password"))
        return try await access.prove("/v1/auth/password/signup", request)
    }

    /// Signs in.
    ///
    /// - Throws: as ``signUp(loginId:password:details:)``. A password that must be changed first is refused with
    ///   `MethodProblem.passwordExpired`.
    @discardableResult
    public func signIn(loginId: String, password: String) async throws(AuthError) -> AuthenticationResponse {
        let request = SignInRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"),
            password: try MethodAccess.secret(password, "password"))
        return try await access.prove("/v1/auth/password/signin", request)
    }

    /// Replaces a password for a user who knows the old one, and signs in.
    ///
    /// - Throws: as ``signUp(loginId:password:details:)``.
    @discardableResult
    public func replace(
        loginId: String, oldPassword: String, newPassword: String
    ) async throws(AuthError) -> AuthenticationResponse {
        let request = ChangePasswordRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"),
            oldPassword: try MethodAccess.secret(oldPassword, "oldPassword"),
            newPassword: try MethodAccess.secret(newPassword, "newPassword"))
        return try await access.prove("/v1/auth/password/replace", request)
    }

    /// Gives the person who is signed in a new password.
    ///
    /// - Parameters:
    ///   - loginId: What the user signs in with: an email address, a telephone number or another name.
    ///   - newPassword: The new password.
    ///   - refreshJwt: Whose session; `nil`: the container's.
    /// - Throws: as ``signUp(loginId:password:details:)``; `session.signed_out`.
    public func update(
        loginId: String, newPassword: String, refreshJwt: String? = nil
    ) async throws(AuthError) {
        let request = ChangePasswordRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"),
            newPassword: try MethodAccess.secret(newPassword, "newPassword"))
        _ = try await access.sendSignedIn("/v1/auth/password/update", request, refreshJwt: refreshJwt)
    }

    /// Sends a link with which a new password can be set: ``MagicLinkMethod/verify(token:)`` signs in, and then
    /// ``update(loginId:newPassword:refreshJwt:)`` sets it.
    ///
    /// - Parameters:
    ///   - loginId: What the user signs in with: an email address, a telephone number or another name.
    ///   - redirectURL: Where the link leads; `nil`: where the project says.
    /// - Throws: as ``signUp(loginId:password:details:)``.
    public func sendReset(loginId: String, redirectURL: String? = nil) async throws(AuthError) {
        let request = PasswordResetRequest(
            loginID: try MethodAccess.checked(loginId, "loginId"), redirectURL: redirectURL)
        _ = try await access.send("/v1/auth/password/reset", request)
    }

    /// What a new password must have. The service may demand more than it says here.
    ///
    /// - Throws: `service.unsupported`; `server.refused`; `transport.unavailable`; `protocol.violation`.
    public func getPolicy() async throws(AuthError) -> PasswordPolicyAnswer {
        try await access.endpoint().get("/v1/auth/password/policy").message()
    }
}
