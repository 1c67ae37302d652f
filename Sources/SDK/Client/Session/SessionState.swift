public import KeyturnBase

/// What a container knows about its session.
public enum SessionState: Hashable, Sendable {
    /// Not known: ``Keyturn/start()`` has not run, or the store could not be read. Not the same as signed out.
    case unknown
    /// Nobody is signed in.
    case signedOut
    /// Somebody is signed in.
    case signedIn(Freshness)

    /// Whether a signed-in session can be used at once.
    public enum Freshness: Hashable, Sendable {
        /// The access token is valid, as far as this machine can tell.
        case fresh
        /// The session stands, but its access token has run out and could not be renewed yet: the network is down,
        /// or the server is. Nobody has been signed out.
        case stale
    }

    /// Whether somebody is signed in, fresh or stale.
    public var isSignedIn: Bool {
        if case .signedIn = self { true } else { false }
    }
}

/// One step in a session's life, as ``Keyturn/changes`` reports it.
public struct SessionChange: Hashable, Sendable {
    /// Why the state is what it is. An open set: keep a `default` branch.
    public struct Reason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A stored session was found at start.
        public static let restored = Self(rawValue: "restored")
        /// The store was read and holds no session.
        public static let nothingStored = Self(rawValue: "nothing_stored")
        /// The store could not be read; the state stays unknown until it can.
        public static let storeUnavailable = Self(rawValue: "store_unavailable")
        /// A person signed in.
        public static let signedIn = Self(rawValue: "signed_in")
        /// The signed-in person proved again who they are.
        public static let reauthenticated = Self(rawValue: "reauthenticated")
        /// The access token was renewed.
        public static let refreshed = Self(rawValue: "refreshed")
        /// Renewal failed for now and the access token has run out; ``SessionChange/error`` says how.
        public static let refreshFailed = Self(rawValue: "refresh_failed")
        /// ``Keyturn/logout(force:)`` was called.
        public static let signedOut = Self(rawValue: "signed_out")
        /// The server said that this session is over (`invalid_grant`).
        public static let ended = Self(rawValue: "ended")
        /// Another container or process of this name renewed, replaced or removed the session.
        public static let changedElsewhere = Self(rawValue: "changed_elsewhere")
    }

    /// The state from now on.
    public let state: SessionState
    /// Why.
    public let reason: Reason
    /// What went wrong, where something did.
    public let error: AuthError?

    /// A change, for tests of the app's own.
    public init(_ state: SessionState, _ reason: Reason, error: AuthError? = nil) {
        self.state = state
        self.reason = reason
        self.error = error
    }

    /// Two changes are equal when state, reason and the error's code are.
    public static func == (left: SessionChange, right: SessionChange) -> Bool {
        left.state == right.state && left.reason == right.reason && left.error == right.error
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(state)
        hasher.combine(reason)
        hasher.combine(error?.code)
    }
}
