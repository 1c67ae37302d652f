internal import KeyturnBase

/// The access token that can be handed out at once, where every task can reach it without waiting for the keeper.
///
/// What lies here is good for one second: then somebody goes to the keeper, who looks whether another process has
/// changed anything.
final class TokenShelf: Sendable {
    private struct Contents: Sendable {
        var token: CachedToken?
        /// In uptime seconds.
        var until: Int64 = .min
    }

    private let contents = Locked(Contents())

    func lay(_ token: CachedToken?, until: Int64) {
        contents.withLock { $0 = Contents(token: token, until: until) }
    }

    /// The token, if it is good for `minimumSeconds` more.
    func take(minimumSeconds: Int64, at uptime: Int64) -> String? {
        contents.withLock { contents in
            guard uptime < contents.until, let token = contents.token,
                token.isGood(minimumSeconds: minimumSeconds, at: uptime)
            else { return nil }
            return token.text
        }
    }
}
