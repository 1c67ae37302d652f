public import KeyturnBase
internal import KeyturnWire

extension Keyturn {
    /// Takes an address that the system opened the app with: the one place for all of them.
    ///
    /// A callback of a sign-in that ``startAuthorization(_:)`` began here finishes it, as
    /// ``finishAuthorization(callbackURL:)`` does. A link of the flow that is shown goes on with that flow
    /// (``FlowSession/resume(with:)``). A magic link signs in, if the app says where its links lead. Any
    /// other address is left to the app: nothing is sent and nothing changes.
    ///
    /// - Parameters:
    ///   - url: What the system brought.
    ///   - magicLinkURL: Where this app's magic links lead, as it was given to ``MagicLinkMethod``; `nil`: to no place
    ///     in the app. Another person can send such a link, and who follows it is signed in as them: give it only where
    ///     the app says who is signed in.
    /// - Returns: Whether the address was this container's.
    /// - Throws: as ``finishAuthorization(callbackURL:)`` and ``MagicLinkMethod/verify(token:)``.
    public func handle(url: String, magicLinkURL: String? = nil) async throws(AuthError) -> Bool {
        if await pendingSignIns.expects(url, at: ambient.now()) {
            try await finishAuthorization(callbackURL: url)
            return true
        }
        if await runningFlow.resume(with: url) { return true }
        guard let magicLinkURL, let token = Self.token(of: url, at: magicLinkURL) else { return false }
        try await magicLink.verify(token: token)
        return true
    }

    /// The token of a magic link; `nil` for any other address.
    private static func token(of url: String, at magicLinkURL: String) -> String? {
        guard url.utf8.count <= Limits.callbackMaxBytes, let (base, query) = URLText.split(url),
            let (wanted, _) = URLText.split(magicLinkURL), base == wanted,
            let parameters = try? FormParameters(parsing: query), let token = try? parameters.one("t"), !token.isEmpty
        else { return nil }
        return token
    }
}
