internal import Crypto
public import KeyturnBase

/// The identifier of a browser session as relying parties see it: the `sid` claim (Back-Channel Logout §2.1).
/// It is not the cookie, and knowing it opens nothing.
public struct SessionID: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

extension SessionID {
    private static let grantPrefix = "grant."

    /// The name of a session that no browser has: its grant's.
    init(of grant: GrantID) {
        self.init(rawValue: Self.grantPrefix + grant.text)
    }

    /// The grant whose own session it is; `nil`: a browser's.
    public var grantID: GrantID? {
        guard rawValue.hasPrefix(Self.grantPrefix) else { return nil }
        return GrantID(text: String(rawValue.dropFirst(Self.grantPrefix.count)))
    }
}

/// SHA-256 of a secret that somebody else keeps: what a store holds instead of the secret.
public struct SecretDigest: Hashable, Sendable {
    /// 32 bytes.
    public let bytes: [UInt8]

    public init(of secret: Secret) {
        bytes = Array(SHA256.hash(data: Array(secret.exposed().utf8)))
    }

    /// One that comes back from a store.
    public init(storedBytes: [UInt8]) {
        bytes = storedBytes
    }
}

/// How a person proved who they are, and when.
public struct AuthenticationFacts: Hashable, Sendable {
    /// When the proof was given: the `auth_time` claim.
    public var time: UnixTime
    /// The methods used, in the words of RFC 8176: the `amr` claim.
    public var methods: [String]
    /// The class that this adds up to: the `acr` claim.
    public var contextClass: String

    public init(time: UnixTime, methods: [String], contextClass: String) {
        self.time = time
        self.methods = methods
        self.contextClass = contextClass
    }

    /// A password alone.
    public static func password(at time: UnixTime) -> AuthenticationFacts {
        AuthenticationFacts(time: time, methods: ["pwd"], contextClass: passwordClass)
    }

    /// The `acr` of a sign-in with a password alone.
    public static let passwordClass = "urn:keyturn:acr:password"

    /// Every class that a sign-in at this server can be of.
    public static let classes = [passwordClass, singleFactorClass, severalFactorsClass]
}

/// A person signed in at this server in one browser. Found by the digest of its cookie.
public struct BrowserSession: Hashable, Sendable {
    public let id: SessionID
    public let userID: UserID
    public let authentication: AuthenticationFacts
    public let createdAt: UnixTime
    /// The session is over at this moment, used or not.
    public let expiresAt: UnixTime
    /// Where it was opened.
    public let origin: SessionOrigin

    public init(
        id: SessionID, userID: UserID, authentication: AuthenticationFacts, createdAt: UnixTime, expiresAt: UnixTime,
        origin: SessionOrigin = .unknown
    ) {
        self.id = id
        self.userID = userID
        self.authentication = authentication
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.origin = origin
    }
}

/// Where a session was opened: for its owner, who wants to recognise it. Nothing is decided by it.
public struct SessionOrigin: Hashable, Sendable {
    /// The network address.
    public let address: String?
    /// Such as "Firefox on Linux", at most ``Limits/nameBytesMax`` bytes.
    public let device: String?

    public init(address: String?, device: String?) {
        self.address = address
        self.device = device
    }

    /// Nothing is known.
    public static let unknown = SessionOrigin(address: nil, device: nil)
}

/// A live session as its owner sees it in a list.
public struct OpenSession: Hashable, Sendable {
    public let session: BrowserSession
    /// When it last let an app in, or was opened.
    public let usedAt: UnixTime

    public init(session: BrowserSession, usedAt: UnixTime) {
        self.session = session
        self.usedAt = usedAt
    }
}
