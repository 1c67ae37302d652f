/// Every bound of this module, with its unit and its reason.
enum Limits {
    /// Most waiting approvals that are read of one answer: servers show a user a handful.
    static let approvalsMax = 50
    /// How long a sign-in waits for a second factor, in seconds: as long as the server lets it.
    static let pendingFactorSeconds: Int64 = 900
    /// Most strengths of authentication that a resource may name. An app asks for the first that its service knows.
    static let acrValuesMax = 16
    /// Longest saved authorization of a web application, in bytes: an address, a redirect URI and two short secrets.
    static let savedAuthorizationMaxBytes = 32_768
    /// Longest wait for any answer of the service, in seconds. A person is waiting too.
    static let requestSeconds = 30
    /// Longest wait for a revocation at a forced sign-out, in seconds: the person is gone already.
    static let farewellSeconds = 5
    /// Longest wait for another process that is renewing, in seconds: its request, and some time to write.
    static let renewalLockSeconds: Int64 = 40
    /// Access tokens of one sign-in that are known again when a server refuses them.
    static let rememberedTokens = 8
    /// How long a renewal may take from its beginning to its end, in seconds: two requests, and some time to write.
    static let renewalSecondsMax: Int64 = 75
    /// How long after its last look into the store a renewal may be sent, in seconds. A process that was stopped for
    /// longer looks again: others may have renewed twice, and then its token is a replay.
    static let sendingSeconds: Int64 = 20
    /// How long after its beginning a renewal's request may arrive at the service, in seconds: until it is sent, and
    /// until its sender gives it up.
    static let renewalRequestSeconds = sendingSeconds + Int64(requestSeconds)
    /// For so long a Keyturn server answers a refresh token again that was superseded, in seconds.
    static let serverOverlapSeconds: Int64 = 60
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
    /// How long an access token is valid at least that is presented to the service itself, in seconds.
    static let presentedSeconds: Int64 = 10
    /// How old an ID token may be that says to the service whose session is meant, in seconds. It is issued for five
    /// minutes, and the user needs some of them.
    static let hintSeconds: Int64 = 60
    /// Longest pause after failed renewals that were not urgent, in seconds.
    static let pauseMaxSeconds: Int64 = 60
    /// The same while a caller waits for a token.
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
    /// A device that was not told waits so long between two questions, in seconds (RFC 8628 §3.2).
    static let deviceIntervalSeconds: Int64 = 5
    /// So much longer it waits whenever it is told to slow down, in seconds (RFC 8628 §3.5).
    static let deviceSlowDownSeconds: Int64 = 5
    /// The longest wait between two questions that a service is granted, in seconds.
    static let deviceIntervalSecondsMax: Int64 = 300
    /// The longest wait after a failure of the network, in seconds, unless the interval is longer. A Keyturn server
    /// repeats a lost answer for a minute.
    static let deviceRetrySecondsMax: Int64 = 15
    /// Longest wait for an answer to one question, in seconds, for the same reason.
    static let devicePollTimeoutSeconds = 10
    /// The longest that a code is believed to be good, in seconds: a day.
    static let deviceSecondsMax: Int64 = 86_400
    /// Keys that wait for their removal at the key service on one device: one for each user who was cleared lately.
    static let keyRemovalsMax = 64
    /// Largest upload, in bytes. It is held in memory, and Box wants larger files in parts.
    static let uploadMaxBytes = 52_428_800
    /// How much of a download may be asked for at a time, in bytes. It is held in memory.
    static let downloadPartBytes = 65_536...33_554_432
    /// Longest name of an uploaded file, in bytes: what file systems and Box take.
    static let uploadNameMaxBytes = 1_024
    /// Longest name of a pushed request, in bytes.
    static let requestURIMaxBytes = 2_048
    /// Longest callback, in bytes. A passkey's attestation may be in it.
    static let callbackMaxBytes = 32_768
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
    /// How often a store that another process changes at the same time is looked at again.
    static let fileRetries = 32
    /// How old a half-written file must be to be abandoned, in seconds: no writer takes that long.
    static let leftoverSeconds: Int64 = 300
    /// Longest time between two looks of a periodic refresh, in seconds.
    static let periodicSecondsMax: Int64 = 86_400
    /// How long a request that a key has signed is good for, in seconds: a person may touch between its date and its
    /// arrival, and its challenge is good no longer.
    static let biometricRequestSeconds: Int64 = 300
    /// The same for a request that asks the user nothing.
    static let anonymousRequestSeconds: Int64 = 60
    /// How late such a request may arrive, in seconds, for its refusal to say something about its key. The rest is for
    /// the service's own idea of late.
    static let biometricPatienceSeconds: Int64 = 240
    /// Largest stored session, in bytes.
    static let recordMaxBytes = 1_048_576
    /// Longest wait for the keyring, in seconds, all its answers together: its service may have to be started first.
    static let keyringSeconds: Int64 = 10
    /// The same for a caller that cannot wait, in milliseconds: an app's first screen.
    static let keyringLaunchMilliseconds = 500
    /// Longest wait for a person to unlock the keyring, in seconds. The lock is held meanwhile.
    static let promptSeconds: Int64 = 60
    /// How long a person who did not unlock the keyring is left alone, in seconds.
    static let promptPauseSeconds: Int64 = 600
    /// Largest body of a message from the bus, in bytes: a record in base64url, and room around it.
    static let busMessageMaxBytes = 2_097_152
    /// Messages that may come before the one awaited; usually there is none.
    static let busStrayMax = 1_000
    /// Signals that are kept while a reply is awaited; one of them may be the one.
    static let busSignalsMax = 16
    /// Longest wait for a touch of the fingerprint reader, in seconds, all tries together.
    static let touchSeconds: Int64 = 60
    /// Longest wait for an answer of the fingerprint service, in seconds: it may have to be started first.
    static let fingerprintSeconds: Int64 = 10
    /// How many touches may fail before the person is not recognised.
    static let touchesMax = 3
    /// Most fingers that are listed; people have ten, and names are not checked.
    static let fingersMax = 64
    /// Longest name of a TPM, in bytes: a path, and what kind it is.
    static let tpmAddressMaxBytes = 4_200
    /// Longest wait for a TPM, in seconds. Some take a second for one key.
    static let tpmSeconds: Int64 = 30
    /// How often a TPM that is busy, or filled by others, is asked again: for about two seconds, or, with pauses that
    /// grow, for about 18.
    static let tpmRetries = 40
    /// How long the connection to a TPM behind a resource manager stays open after its last use, in seconds.
    static let tpmIdleSeconds: Int64 = 30
    /// How often a device key that another process changes at the same time is looked at again.
    static let deviceKeyRetries = 8
    /// Most items that a search may find, and attributes that one may have. Usually there is one item.
    static let keyringItemsMax = 256
    /// Longest identifier, code, link token or password that is sent to a method, in bytes.
    static let methodTextMaxBytes = 8_192
    /// How long the right one of three links is waited for, in seconds, unless the caller says.
    static let pollSeconds: Int64 = 120
    /// The longest that a caller may say, in seconds.
    static let pollSecondsMax: Int64 = 3_600
    /// Longest wait for an answer of the passkey service, in seconds: a prompt follows, and a person is waiting for it.
    static let passkeyRequestSeconds = 10
    /// Shortest and longest time that an authenticator may take with a person, in seconds, whatever the service says.
    static let passkeySeconds: ClosedRange<Int64> = 15...600
    /// How much longer than the service says, in seconds: the authenticator's own end is to come first.
    static let passkeyExtraSeconds: Int64 = 5
    /// How long one may take that does not ask the user, in seconds.
    static let passkeyQuietSeconds: Int64 = 30
    /// How long an authenticator may take to let go once it was cancelled, in seconds.
    static let passkeyLettingGoSeconds: Int64 = 2
    /// Most security keys that are plugged in at a time.
    static let securityKeysMax = 16
    /// Most accounts of one relying party on one security key.
    static let securityKeyAccountsMax = 64
    /// Longest that a security key may take for one command, in milliseconds, a person's touch included.
    static let securityKeyMilliseconds: Int32 = 120_000
    /// How long to look at each of several keys for a touch before the next one's turn, in milliseconds.
    static let securityKeyLook: Int32 = 50
    /// How long an application's signed statement is good for, in seconds. Box takes a minute at most.
    static let assertionSeconds: Int64 = 30
    /// How often a statement is made anew because the service found it out of time.
    static let assertionCorrections = 2
    /// Longest key file or configuration of an application, in bytes.
    static let keyFileMaxBytes = 65_536
    /// Longest value of a header that a client adds, in bytes.
    static let headerMaxBytes = 8_192
    /// How often tokens are looked for again because another process has just replaced them.
    static let replacedTokensMax = 2
    /// Longest wait of a service's client for another process that is renewing, in seconds.
    static let serviceLockSeconds: Int64 = 40
    /// How often a vault that another process changes at the same time is looked at again.
    static let vaultRetries = 32
    /// Users in one container's vault.
    static let vaultUsersMax = 256
    /// Longest password of a vault, in bytes.
    static let vaultSecretMaxBytes = 1_024
    /// Longest name of app data in a vault, in bytes.
    static let vaultNameMaxBytes = 256
    /// Largest piece of app data in a vault, in bytes: several fit into one record.
    static let vaultItemMaxBytes = 262_144
    /// Longest answer of a key service, in bytes.
    static let keyServiceAnswerMaxBytes = 65_536
    /// Longest time in the background that may be asked for, in seconds: a week.
    static let backgroundSecondsMax: Int64 = 604_800
    /// Largest item of another library, in bytes.
    static let legacyItemMaxBytes = 262_144
    /// How far from 2001 a date of another library may be, in seconds: a thousand years.
    static let legacyDateSecondsMax: Int64 = 31_557_600_000
    /// Longest name of a flow, in bytes: it travels in addresses.
    static let flowNameMaxBytes = 256
    /// Longest inputs of a flow, in bytes of JSON: a handful of facts.
    static let flowInputsMaxBytes = 4_096
    /// Longest inputs of a journey of a Keyturn server, in bytes of JSON: they stand in addresses.
    static let journeyInputsMaxBytes = 1_024
    /// Longest message of a flow's page, in bytes of JSON, except for its answer: an address with a sealed request.
    static let flowMessageMaxBytes = 65_536
    /// A flow's first page is asked for again after so many milliseconds, times the number of tries.
    static let flowRetryMilliseconds: Int64 = 1_250
    /// How long after its beginning a flow's first page may be asked for again, in milliseconds: a person waits.
    static let flowLoadMilliseconds: Int64 = 10_000
    /// How many errors under an error are looked at.
    static let underlyingErrors = 4
}
