public import KeyturnBase
public import Model

/// Asks directories about passwords. Finding and checking are two questions, so that guesses at an entry are counted
/// before the directory counts them itself.
public protocol PasswordDirectory: Sendable {
    /// The one entry of a name that a user typed; `nil`: there is none, or there are several.
    ///
    /// - Throws: ``ConnectionProblem``, `unavailable` if the directory does not answer in time.
    func find(_ name: String, at connection: Connection) async throws(ConnectionProblem) -> DirectoryEntry?

    /// The entry of an identity; `nil`: it is gone.
    ///
    /// - Throws: ``ConnectionProblem``, as ``find(_:at:)``.
    func find(subject: String, at connection: Connection) async throws(ConnectionProblem) -> DirectoryEntry?

    /// Whether a password is an entry's. For no entry the directory is asked as well, so that the time does not show
    /// who is in it.
    ///
    /// - Throws: ``ConnectionProblem``, as ``find(_:at:)``.
    func check(_ password: Secret, of entry: DirectoryEntry?, at connection: Connection)
        async throws(ConnectionProblem) -> DirectoryVerdict
}

/// A user of a directory.
public struct DirectoryEntry: Hashable, Sendable {
    /// Its distinguished name, as the directory wrote it: only this one is ever bound with.
    public let name: String
    /// Whether the directory says that the user may not sign in.
    public let isDisabled: Bool
    public let profile: FederatedProfile

    public init(name: String, isDisabled: Bool, profile: FederatedProfile) {
        self.name = name
        self.isDisabled = isDisabled
        self.profile = profile
    }
}

/// What a directory says about a password.
public enum DirectoryVerdict: Hashable, Sendable {
    case right
    /// The reason is for the audit log: users are told one sentence for all.
    case wrong(reason: String)
}
