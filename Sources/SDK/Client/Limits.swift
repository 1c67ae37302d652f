/// Every bound of this module, with its unit and its reason.
enum Limits {
    /// Longest wait for any answer of the service, in seconds. A person is waiting too.
    static let requestSeconds = 30
    /// Longest wait for a revocation at a forced sign-out, in seconds: the person is gone already.
    static let farewellSeconds = 5
    /// Longest wait for another process that is renewing, in seconds: its request, and some time to write.
    static let renewalLockSeconds: Int64 = 40
    /// Longest wait for the lock at sign-in and sign-out, in seconds.
    static let lockSeconds: Int64 = 15
    /// The same at a forced sign-out, which goes on without the lock.
    static let forcedLockSeconds: Int64 = 1
    /// At least so long before its end a token is renewed without need, in seconds; never more than half its lifetime.
    static let renewAheadSeconds: Int64 = 60
    /// Longest lifetime that a caller may ask of an access token, in seconds.
    static let minimumSecondsMax: Int64 = 86_400
    /// How far the clock may have gone back since a token was issued before its lifetime is in doubt, in seconds.
    static let clockBackSeconds: Int64 = 5
    /// Longest pause after failed renewals that were not urgent, in seconds.
    static let pauseMaxSeconds: Int64 = 60
    /// The same while somebody waits for a token.
    static let urgentPauseMaxSeconds: Int64 = 8
    /// Longest pause that a server may ask for, in seconds.
    static let retryAfterMaxSeconds: Int64 = 3_600
    /// Longest lifetime of an access token that is believed, in seconds.
    static let tokenLifetimeMaxSeconds: Int64 = 315_360_000
    /// Longest token that is accepted, in bytes; what a server could not take back in a header.
    static let tokenMaxBytes = 65_536
    /// Longest answer of the service's own endpoints, in bytes.
    static let answerMaxBytes = 1_048_576
    /// Longest answer that ``Keyturn/fetch(_:)`` takes, in bytes. It is held in memory.
    static let fetchedMaxBytes = 67_108_864
    /// How long a discovery document is good for, in seconds.
    static let metadataSeconds: Int64 = 86_400
    /// Sign-ins under way in one container: enough for a few windows.
    static let pendingMax = 8
    /// How long a sign-in may take, in seconds.
    static let pendingSeconds: Int64 = 600
    /// Longest callback, in bytes.
    static let callbackMaxBytes = 16_384
    /// Redirects that ``Keyturn/fetch(_:)`` follows within one origin.
    static let redirectsMax = 5
    /// Changes kept for a reader that is slower than the session.
    static let changesBuffered = 64
    /// Longest nonce of a server, in bytes.
    static let nonceMaxBytes = 1_024
    /// Servers whose nonces are remembered.
    static let noncesMax = 32
    /// How far a proof's time may be off the service's clock before it is made anew with that, in seconds.
    static let clockErrorSeconds: Int64 = 5
    /// How often a store that somebody else changes at the same time is looked at again.
    static let fileRetries = 32
    /// How old a half-written file must be to be nobody's, in seconds: no writer takes that long.
    static let leftoverSeconds: Int64 = 300
    /// Largest stored session, in bytes.
    static let recordMaxBytes = 1_048_576
}
