public import KeyturnWire

/// Why something is not allowed.
public enum Denial: Error, Hashable, Sendable {
    /// It is allowed once this was done.
    case missing(MissingStep)
    /// It is not allowed at all.
    case refused(Reason)

    /// Why it is not allowed.
    public enum Reason: Hashable, Sendable {
        /// Not to this kind of caller.
        case notAllowed
        /// The session is held in the name of another user.
        case notOwner
        /// The operator's role is lower than this one.
        case role(ConsoleRole)
        /// The user or the object is of another tenant, or of none.
        case foreignTenant
        /// `project.sign_up` does not admit the new user.
        case signUp
        /// A setting that would allow it is off.
        case switchedOff
        /// The account has changed since it was allowed.
        case overtaken
    }
}
