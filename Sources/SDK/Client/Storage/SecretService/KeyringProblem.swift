#if os(Linux)
    internal import KeyturnBase

    /// Why a visit to the keyring failed.
    enum KeyringProblem: Error, Equatable {
        /// No bus, or none that lets us in.
        case unreachable(String)
        /// The other side went away while it was needed.
        case closed
        /// The deadline passed.
        case timedOut
        /// The waiting task was cancelled while a person was asked.
        case interrupted
        /// Bytes that the D-Bus specification does not allow, or more of them than anybody needs.
        case malformed(String)
        /// An error reply, by its name.
        case refused(String)
        /// The keyring would have to be unlocked first.
        case locked
        /// The person was asked, and did not agree.
        case dismissed
        /// The service has no default collection to put something into.
        case noCollection
        /// The item holds what this store did not write.
        case damaged
        /// Something was stored, and the keyring that answers is not the one that holds it.
        case missing
    }

    extension KeyringProblem {
        /// The same for the border of this module, with what a person can do about it.
        var authError: AuthError {
            AuthError(.storeUnavailable, sentence, cause: self)
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
            case .damaged: "the stored item is damaged or was not written by this library: sign in again"
            case .missing: "the keyring does not hold what was put into it: bring that one back, or sign in again"
            }
        }
    }
#endif
