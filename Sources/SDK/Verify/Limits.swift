/// Every bound of this module, with its unit and its reason.
public enum VerifyLimits {
    /// How long one exchange may take, in seconds, unless the request says otherwise.
    public static let requestSeconds = 30
    /// How large an answer may be, in bytes. Key sets, metadata and tokens are far smaller.
    public static let responseBytes = 1 << 20

    /// How large a token may be, in bytes. Web servers refuse headers of this size anyway.
    public static let tokenBytes = 16_384
    /// How large an ID token may be, in bytes: as large as the answer that it comes in. It travels in no header.
    public static let idTokenBytes = responseBytes
    /// How many elements a list in an ID token may have, such as the groups of a user.
    public static let idTokenElements = 65_536
    /// How far clocks may differ at most, in seconds. More would make lifetimes meaningless.
    public static let toleranceSeconds: Int64 = 300

    /// How many elements a list in an issuer's metadata may have, such as the claims that it knows.
    public static let metadataElements = 4_096

    /// How large a key set may be, in bytes. Certificates beside the keys take most of the room.
    public static let keySetBytes = responseBytes
    /// How many keys a set may hold, usable or not. An issuer has a handful.
    public static let keySetMembers = 1_000
    /// How many usable keys of a set are made ready beforehand. Others are found by their names.
    public static let keys = 64
    /// How many keys are tried on one token that names none, or whose name several keys share. Each costs a signature
    /// check, of a tenth of a millisecond or so.
    public static let keysTried = 64
    /// Keys are not fetched again within this many seconds, whatever the issuer's cache header says.
    public static let keySecondsMin: Int64 = 60
    /// Keys are fetched again after this many seconds, whatever the issuer's cache header says, so that a key
    /// withdrawn in an emergency is forgotten within the day.
    public static let keySecondsMax: Int64 = 86_400
    /// How long keys count as current, in seconds, when the issuer does not say.
    public static let keySecondsDefault: Int64 = 600
    /// How long keys are used after their time when newer ones cannot be fetched, in seconds.
    public static let staleKeySeconds: Int64 = 86_400
    /// The pause between two attempts to fetch keys while those at hand serve, in seconds. Tokens with invented key
    /// names cause no more requests than this allows.
    public static let keyCooldownSeconds: Int64 = 30
    /// The pause after an attempt that failed, in seconds, for tokens that cannot be judged with the keys at hand.
    public static let keyFailurePauseSeconds: Int64 = 5
    /// The least time between two attempts for a sign-in whose key is unknown, in seconds. After a failed attempt, and
    /// without keys at hand, a sign-in asks at once.
    public static let signInKeyPauseSeconds: Int64 = 1
    /// How long fetching keys may take, in seconds: requests wait for it.
    public static let keyFetchSeconds = 5

    /// How many verified tokens are remembered, unless the caller says otherwise. About 2 kB each.
    public static let rememberedTokens = 10_000
    /// How long a verified token is remembered at most, in seconds. A withdrawn key is noticed after that.
    public static let rememberedSeconds: Int64 = 300

    /// How many revoked sessions and users are remembered, unless the caller says otherwise.
    public static let rememberedRevocations = 100_000

    /// How old a logout token may be, in seconds (ASVS 5.0 §10.5.5).
    public static let logoutTokenSeconds: Int64 = 120

    /// How many may act for each other in one token.
    public static let actors = 8
    /// How many objects one token may be restricted to.
    public static let restrictedObjects = 1_024
    /// How many details one token may be granted.
    public static let details = 64
}
