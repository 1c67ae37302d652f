public import KeyturnWire
package import Model

/// A completed verification, and what was requested when it began: the input for a session.
public struct CompletedVerification: Sendable {
    public let identity: ProvenIdentity
    public let options: LoginOptions
    /// The session that a step-up continues.
    public let presented: PresentedRefresh?
    /// The session in which the user began to change the account; `nil`: it was a sign-in.
    package let changedIn: GrantID?
    /// Whether the answer came without the session that asked for the verification: its reader may be another person,
    /// and what that session has shown is not theirs.
    package let isElsewhere: Bool
    /// Whether a link that may have been opened on another device lets the client in, which asked for it and shows
    /// nothing of its own. Not where the link made the account: there was nothing to get into.
    package let isLetIn: Bool

    package init(
        identity: ProvenIdentity, options: LoginOptions, presented: PresentedRefresh?, changedIn: GrantID? = nil,
        isElsewhere: Bool = false, isLetIn: Bool = false
    ) {
        self.identity = identity
        self.options = options
        self.presented = presented
        self.changedIn = changedIn
        self.isElsewhere = isElsewhere
        self.isLetIn = isLetIn
    }
}
