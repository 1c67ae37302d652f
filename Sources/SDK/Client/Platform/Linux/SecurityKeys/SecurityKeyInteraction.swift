public import KeyturnBase

/// What a program says to the person, and asks them, while a security key is in use.
public protocol SecurityKeyInteraction: Sendable {
    /// No key is plugged in. Said once; the wait goes on.
    func insertKey() async

    /// The key waits to be touched.
    ///
    /// - Parameter purpose: What for.
    func touchKey(_ purpose: SecurityKeyTouch) async

    /// The key's PIN.
    ///
    /// - Parameters:
    ///   - triesLeft: How many wrong ones the key takes before it takes none; `nil` if it does not say.
    ///   - wasWrong: Whether the one before was wrong.
    /// - Returns: `nil` if the person gives up.
    func pin(triesLeft: Int?, wasWrong: Bool) async -> Secret?

    /// Which of several accounts.
    ///
    /// - Returns: Its position; `nil` if the person gives up.
    func chooseAccount(among accounts: [SecurityKeyAccount]) async -> Int?
}

/// What a touch means.
public enum SecurityKeyTouch: String, Hashable, Sendable {
    /// "This one", when several keys are plugged in.
    case choose
    /// "Make a credential."
    case register
    /// "Sign in."
    case signIn
}

/// An account on a security key.
public struct SecurityKeyAccount: Hashable, Sendable {
    /// What tells accounts apart; `nil` if the key does not say.
    public let name: String?
    /// What people call it; `nil` if the key does not say.
    public let displayName: String?

    /// An account as a key names it.
    public init(name: String?, displayName: String?) {
        self.name = name
        self.displayName = displayName
    }
}
