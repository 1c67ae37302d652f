public import KeyturnBase

/// What a container knows about its session.
public enum SessionState: Hashable, Sendable {
    /// Not known: ``Keyturn/start()`` has not run, or the store could not be read. Not the same as signed out.
    case unknown
    /// No user is signed in.
    case signedOut
    /// A user is signed in.
    case signedIn(Freshness)
    /// The user is signed out, and did not ask for it: see the reason. The way back is a sign-in.
    case ended(End)

    /// Whether a signed-in session can be used at once.
    public enum Freshness: Hashable, Sendable {
        /// The access token is valid, as far as this machine can tell.
        case fresh
        /// The access token is being renewed at this moment.
        case refreshing
        /// The session stands, but its access token has run out and could not be renewed yet: the network is down,
        /// or the server is. The user has not been signed out.
        case stale(Staleness)
        /// The session stands and is stored, but its access token has run out, and the service gives no other before
        /// the user was at its page: to sign in again, to agree, or to prove more (`interaction_required`,
        /// `login_required`, `consent_required` and the like), or because it issued no refresh token.
        ///
        /// ``Keyturn/authorize(_:)`` opens the page, and so does ``Keyturn/authorizeIfNeeded(_:)``. The service's own
        /// words are in the ``SessionChange/error`` of the change `interaction_required`. Renewals are still tried now
        /// and then: the user may do what is asked for elsewhere.
        case interactionRequired
    }

    /// Why a session is stale, and until when at least.
    public struct Staleness: Hashable, Sendable {
        /// What stopped the last renewal; `nil` if none was tried since the access token ran out.
        public let reason: AuthError.Code?
        /// When the next renewal is tried at the earliest, by this machine's clock; `nil`: at the next use.
        public let retryAt: UnixTime?

        /// A stale session, as tests of apps need it.
        public init(reason: AuthError.Code? = nil, retryAt: UnixTime? = nil) {
            self.reason = reason
            self.retryAt = retryAt
        }
    }

    /// Why a session is over. An open set: keep a `default` branch.
    public struct End: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The server said so (`invalid_grant`); ``SessionChange/error`` has its words.
        public static let refused = Self(rawValue: "refused")
        /// The device key that the session is bound to is gone.
        public static let deviceKeyLost = Self(rawValue: "device_key_lost")
    }

    /// Whether a user is signed in, fresh or stale.
    public var isSignedIn: Bool {
        if case .signedIn = self { true } else { false }
    }

    /// Whether a user is signed in, but with an access token that has run out and that a renewal may still replace.
    public var isStale: Bool {
        if case .signedIn(.stale) = self { true } else { false }
    }

    /// Whether a user is signed in, but must go to the service's page before there is another access token.
    public var isInteractionRequired: Bool { self == .signedIn(.interactionRequired) }
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
        /// The session that another library left on this device was taken over.
        public static let imported = Self(rawValue: "imported")
        /// Another library's session is there and cannot be taken over; ``SessionChange/error`` says why
        /// (`import.…`). It was left alone, and the user must sign in.
        public static let notImported = Self(rawValue: "not_imported")
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
        /// The access token has run out, and the user must go to the service's page for another one;
        /// ``SessionChange/error`` says why, where the service said it to this process.
        public static let interactionRequired = Self(rawValue: "interaction_required")
        /// ``Keyturn/logout(force:)`` was called.
        public static let signedOut = Self(rawValue: "signed_out")
        /// The session is over without the user's wish; the state says why. A program that starts later finds the same
        /// state, with the reason ``nothingStored``.
        public static let ended = Self(rawValue: "ended")
        /// A session was taken out of the vault, see ``Keyturn/vault``.
        public static let unlocked = Self(rawValue: "unlocked")
        /// The session lies in the vault, and nowhere else. The session goes on at the service.
        public static let locked = Self(rawValue: "locked")
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
