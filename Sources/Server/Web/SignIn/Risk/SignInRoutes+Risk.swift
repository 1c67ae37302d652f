internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import Model
internal import SignIn

/// What is unusual about a sign-in on the pages.
extension SignInRoutes {
    /// With what is unusual, found at the first verification of a user and kept until the end of the sign-in.
    func assessed(_ signIn: OpenedSignIn, _ user: User, _ facts: AuthenticationFacts) async throws -> OpenedSignIn {
        guard signIn.transaction.risk?.concerns(user.id) != true else { return signIn }
        var signIn = signIn
        signIn.transaction.risk = try await services.risks.assess(
            user.id, on: cookies.device(signIn.request).map(DeviceMark.browser),
            from: addresses.address(of: signIn.request, signIn.context), found: facts.signals)
        return signIn
    }

    /// Remembers the device on which a session was opened.
    ///
    /// - Returns: the field of its cookie.
    func rememberDevice(of session: BrowserSession, _ signIn: OpenedSignIn) async throws(StoreError) -> String {
        let mark = cookies.device(signIn.request) ?? services.ambient.randomToken(byteCount: 32)
        try await services.risks.opened(
            by: session.userID, signIn.transaction.risk, session.authentication, on: .browser(mark),
            from: session.origin, begun: session.createdAt,
            startedAt: signIn.transaction.begunAt)
        return cookies.setDevice(mark)
    }
}

/// A session that a sign-in opened.
struct SessionOfSignIn: Sendable {
    let session: BrowserSession
    let cookie: Secret
    /// The fields `Set-Cookie` of its response: of the session and of the device.
    let fields: [String]
}
