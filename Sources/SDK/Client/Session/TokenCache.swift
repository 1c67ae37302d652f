internal import KeyturnBase

/// The access token that can be handed out at once, where every task can reach it without waiting for the keeper.
///
/// What lies here is good for one second: then a caller goes to the keeper, which looks whether another process has
/// changed anything. The second is counted by the cheapest clock there is; what the token itself is good for was judged
/// by the right one when it was laid here.
final class TokenCache: Sendable {
    private struct Contents: Sendable {
        var text: String?
        /// In coarse milliseconds.
        var until: Int64 = .min
        /// For how many seconds it may be promised.
        var seconds: Int64 = 0
    }

    private let contents = Locked(Contents())

    /// Lays out a token until `until`, or until it is due for renewal.
    ///
    /// - Parameter until: in coarse milliseconds.
    func lay(_ token: CachedToken?, until: Int64, ambient: Ambient) {
        guard let token else { return contents.withLock { $0 = Contents() } }
        let (now, uptime) = (ambient.coarseMilliseconds(), ambient.uptime())
        let untilRenewal = token.renewsAt == .max ? Int64.max : now + (token.renewsAt - uptime) * 1_000
        let next = Contents(text: token.text, until: min(until, untilRenewal), seconds: token.promises(at: uptime + 1))
        contents.withLock { $0 = next }
    }

    /// The token, if it is good for `minimumSeconds` more.
    func take(minimumSeconds: Int64, at milliseconds: Int64) -> String? {
        contents.withLock { contents in
            milliseconds < contents.until && minimumSeconds <= contents.seconds ? contents.text : nil
        }
    }
}
