#if os(Linux)
    internal import KeyturnBase

    extension BusProblem {
        /// The same for the border of this module, with what a person can do about it.
        var authError: AuthError {
            AuthError(self == .damaged ? .storeKeyLost : .storeUnavailable, sentence, cause: self)
        }

        private var sentence: String {
            switch self {
            case .unreachable(let reason):
                "the keyring cannot be reached (\(reason)): start a session bus, or choose another storage"
            case .closed: "the keyring ended while it was needed: try again"
            case .timedOut: "the keyring did not answer in time: see whether its service hangs"
            case .interrupted: "nobody waits for the keyring to be unlocked any more: try again"
            case .malformed(let detail): "the session bus sent what makes no sense (\(detail))"
            case .refused(let name): "the keyring refused (\(name)): see whether its service runs"
            case .locked: "the keyring is locked: unlock it"
            case .dismissed: "the keyring stayed locked: unlock it, or sign in again and agree when asked"
            case .noCollection: "the keyring has no default collection: create one in the desktop's password program"
            case .damaged:
                "the stored item is damaged or was not written by this library: sign in again, or sign out by force"
            case .missing: "the keyring does not hold what was put into it: bring that one back, or sign in again"
            }
        }
    }
#endif
