#if os(Linux)
    /// Why a call to a service on a message bus failed.
    enum BusProblem: Error, Equatable {
        /// No bus, or none that lets us in.
        case unreachable(String)
        /// The other side went away while it was needed.
        case closed
        /// The deadline passed.
        case timedOut
        /// The waiting task was cancelled while a person was asked.
        case interrupted
        /// Bytes that the D-Bus specification does not allow, or more of them than are needed.
        case malformed(String)
        /// An error reply, by its name.
        case refused(String)
        // What only a keyring says.
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
#endif
