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
}

/// A person signed in at this server in one browser. Found by the digest of its cookie.
public struct BrowserSession: Hashable, Sendable {
    public let id: SessionID
    public let userID: UserID
    public let authentication: AuthenticationFacts
    public let createdAt: UnixTime
    /// The session is over at this moment, used or not.
    public let expiresAt: UnixTime

    public init(
        id: SessionID, userID: UserID, authentication: AuthenticationFacts, createdAt: UnixTime, expiresAt: UnixTime
    ) {
        self.id = id
        self.userID = userID
        self.authentication = authentication
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
