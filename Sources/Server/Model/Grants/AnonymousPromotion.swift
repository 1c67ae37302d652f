/// An anonymous user is about to get an account: kept beside the code of the sign-in, and done when the code is redeemed.
///
/// The sign-in itself changes nothing about the anonymous user. Otherwise a person who follows a link of an attacker
/// would put their own address on the attacker's anonymous user. Redeeming needs the verifier of the application that
/// asked, and with it the key or the session of the anonymous user.
public struct AnonymousPromotion: Hashable, Sendable {
    /// Which account stays.
    public enum Choice: String, Hashable, Sendable, CaseIterable {
        /// The anonymous user: the account was made in this sign-in, and everything of it becomes the anonymous user's.
        case adopt
        /// The account that the user signed in to, with everything that the anonymous user had.
        case bring
        /// The account that the user signed in to; the anonymous user is removed.
        case leave
    }

    /// What the application showed of the anonymous user.
    public enum Evidence: Hashable, Sendable {
        /// A request that the user's key signed; the key must still be the user's.
        case key(String)
        /// A code that a session of the user asked for; the session must still be live.
        case session(GrantID)
    }

    /// The anonymous user.
    public let userID: UserID
    public let evidence: Evidence
    /// Spent when the code is redeemed: one request, or one promotion code, promotes once.
    public let mark: ReplayMark
    public let choice: Choice

    public init(userID: UserID, evidence: Evidence, mark: ReplayMark, choice: Choice) {
        self.userID = userID
        self.evidence = evidence
        self.mark = mark
        self.choice = choice
    }
}
