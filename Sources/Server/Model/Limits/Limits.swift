/// Every bound of the server in one place: value, unit, reason. Nothing that a client sends is unbounded.
public enum Limits {
    // Lifetimes, in seconds.

    /// An authorization code is redeemed at once or never; FAPI 2.0 allows at most 60.
    public static let codeSeconds: Int64 = 60
    /// The longest authorization transaction, from the first sign-in page to its end.
    public static let transactionSeconds: Int64 = 3_600
    /// A browser session, used or not: two weeks.
    public static let browserSessionSeconds: Int64 = 14 * 86_400
    /// An ID token says that a user signed in just now: an hour is enough.
    public static let idTokenSeconds: Int64 = 3_600
    /// A logout token is read at once (Back-Channel Logout §2.4 recommends two minutes).
    public static let logoutTokenSeconds: Int64 = 120
    /// A signing key signs for so long.
    public static let keySigningSeconds: Int64 = 30 * 86_400
    /// The next key is published for so long before it signs, so that every cached key set knows it.
    public static let keyLeadSeconds: Int64 = 2 * 86_400
    /// How far the clocks of servers and verifiers may differ.
    public static let clockSkewSeconds: Int64 = 300

    /// How far the clock of a client that signs may differ from the server's. Small: an assertion is made when it is
    /// needed.
    public static let assertionSkewSeconds: Int64 = 30
    /// An assertion that authenticates a client is used at once; libraries write up to an hour. Its `jti` is remembered
    /// for as long.
    public static let clientAssertionSeconds: Int64 = 3_600
    /// An assertion that is used as a grant is made for one request. Libraries write five minutes; a client may be
    /// registered for less or more.
    public static let grantAssertionSeconds: Int64 = 300

    /// A used `jti` or challenge is remembered for so long beyond its expiry: the clocks of two servers differ, and
    /// keys take a moment to be fetched.
    public static let spentMarginSeconds: Int64 = 120

    // Sizes of requests, in bytes.

    /// An address of an object or a service that a token is for: it stands in the token once for each scope.
    public static let resourceBytesMax = 512
    /// The `jti` of a signed statement: 16 random bytes in any spelling, and room to spare.
    public static let assertionNameBytesMax = 256

    /// A form of OAuth's endpoints.
    public static let formBytesMax = 32_768
    /// A request line and its query.
    public static let queryBytesMax = 16_384
    /// One `state` or `nonce`: a client's own data.
    public static let stateBytesMax = 2_048
    /// The `claims` parameter.
    public static let claimsBytesMax = 8_192
    /// A password: longer than users type, short enough for the hash.
    public static let passwordBytesMax = 1_024
    /// A token presented to the server.
    public static let tokenBytesMax = 16_384

    // Counts.

    /// Scope names in one request.
    public static let scopeNamesMax = 64
    /// How often a token is exchanged, one after the other: services call services, but not without end.
    public static let exchangesMax = 4
    /// Resource indicators in one request.
    public static let resourcesMax = 8
    /// Clients in the snapshot of one project.
    public static let clientsMax = 100_000
    /// Server secrets, older ones included.
    public static let secretsMax = 8
    /// Verified access tokens that are cached, in each of two generations.
    public static let verifiedTokensMax = 1_024
    /// Grants whose scope and resources are remembered, in each of two generations: some hundred bytes each.
    public static let rememberedGrantsMax = 50_000

    // Messages.

    /// A message without an expiry is not sent any more after a day: the user has asked again.
    public static let messageSeconds: Int64 = 86_400
    /// A message's content, sealed, in bytes: three links of the longest kind with room to spare.
    public static let messageBytesMax = 32_768
    /// How often a message is tried.
    public static let messageAttemptsMax: Int64 = 12
    /// How long one try may take, in seconds; afterwards another process may try. Longer than all steps of a delivery.
    public static let messageLeaseSeconds: Int64 = 120
    /// Messages in delivery at the same time, in one process.
    public static let messagesInFlightMax = 4
    /// A sent message is remembered for so long, in seconds, so that its key stays taken.
    public static let messageKeptSeconds: Int64 = 2 * 86_400
    /// Messages on the outbox page.
    public static let outboxMessagesMax = 1_000

    // Users and tenants.

    /// Users in one page of a search.
    public static let usersOfPageMax = 1_000
    /// Pages of a search: a client that wants more must narrow it.
    public static let searchPageMax = 100_000
    /// Users in one batch: one transaction each, within the time of one request.
    public static let usersOfBatchMax = 100
    /// Identifiers of one user.
    public static let identifiersOfUserMax = 20
    /// Tenants of one user: they all stand in the session token.
    public static let tenantsOfUserMax = 64
    /// Roles of one user, everywhere or in one tenant.
    public static let rolesOfUserMax = 32
    /// Tenants in the snapshot of one project.
    public static let tenantsMax = 100_000
    /// Roles, and permissions, in the snapshot of one project.
    public static let rolesMax = 10_000
    /// Permissions of one role.
    public static let permissionsOfRoleMax = 256
    /// A name of a tenant, role, permission or key, in bytes of UTF-8.
    public static let nameBytesMax = 256
    /// A description, in bytes of UTF-8.
    public static let descriptionBytesMax = 1_024
    /// Custom attributes of one user, tenant or key, as JSON, in bytes.
    public static let attributesBytesMax = 16_384
    /// Access keys in one answer.
    public static let accessKeysOfPageMax = 1_000
    /// Sign-ins in a user's own history.
    public static let historyMax = 100

    // Sessions of the methods.

    /// Claims that a client adds to its own session, as JSON, in bytes: they travel with every request.
    public static let customClaimsBytesMax = 2_048
    /// A second factor counts together with the first for so long, in seconds. Later the first one must be verified
    /// again: a session that was left open is no factor.
    public static let secondFactorSeconds: Int64 = 900
    /// A JSON body of the methods' wire, in bytes.
    public static let methodBodyBytesMax = 65_536
    /// A JSON body of the management interface, in bytes: a batch of users fits.
    public static let managementBodyBytesMax = 1_048_576
    /// The nesting of a JSON body.
    public static let bodyDepthMax = 16

    // Passwords.

    /// Checks waiting for a hashing thread; beyond it users are asked to try again.
    public static let hashBacklogMax = 256
    /// How long a check may wait for a thread, in milliseconds: then the user has probably given up.
    public static let hashWaitMilliseconds = 10_000

    // Breached passwords.

    /// A list in plain text, in bytes; it is kept in memory. Longer lists come as SHA-1, sorted.
    public static let breachedListBytesMax = 16_777_216
    /// A line of a list of SHA-1 hashes: 40 characters, a count, line ends. Read twice as much to find a whole one.
    public static let breachedLineBytesMax = 64

    // Authenticators and recovery codes.

    /// The shortest secret that other products gave their users, in bytes: 80 bits. This server's have 160.
    public static let authenticatorSecretBytesMin = 10
    /// The longest: a block of SHA-512; longer keys are hashed before use anyway.
    public static let authenticatorSecretBytesMax = 128
    /// A code as it is typed: eight digits, with spaces.
    public static let authenticatorCodeBytesMax = 32
    /// Issuer or account in a key URI: three times as long when encoded, and the picture must stay readable.
    public static let keyURINameBytesMax = 128
    /// Recovery codes of one user.
    public static let recoveryCodesPerUser = 10
    /// A recovery code as it is typed, with its separators.
    public static let recoveryCodeTypedBytesMax = 64

    // Settings.

    /// A user who changes how they sign in must have signed in within this time, in seconds: a browser may have been
    /// left open.
    public static let sensitiveSeconds: Int64 = 600
    /// How long a session lasts at most, in seconds, in which an operator of the console acts as a user.
    public static let impersonationSeconds: Int64 = 3_600
    /// Test messages that one operator sends within an hour.
    public static let testMessagesMax: Int64 = 20
    /// Sessions and apps on the page that lists them.
    public static let sessionsListedMax = 100

    // Codes and links.

    /// A code or link is followed at once or asked for again, in seconds: NIST SP 800-63B allows ten minutes.
    public static let proofSeconds: Int64 = 600
    /// How long an ended link is remembered, in seconds after its expiry: users open their mail the next day.
    public static let linkMemorySeconds: Int64 = 86_400
    /// The wait before a page sends a message again, in seconds: mail takes its time.
    public static let resendSeconds: Int64 = 30
    /// Digits of a code: 20 bits, with few tries.
    public static let codeDigits = 6
    /// Tries at the codes of one user from one network, however often codes are sent, before the window ends.
    public static let codeTriesMax: Int64 = 5
    /// Tries at the codes of one user from all networks together that never signed in to the account.
    ///
    /// A code lives as long as a window lasts, so that it meets two windows at most: 80 tries from unknown networks,
    /// each of which hits one of a million codes. With ten more from each of two networks that signed in before, a code
    /// is guessed with a chance of 1 in 10 000. It takes eight networks to use the tries up, so that a new device has
    /// to wait.
    public static let codeTriesOfStrangersMax: Int64 = 40
    /// Valid codes of one user at the same time: mail overtakes mail.
    public static let codesLiveMax = 3
    /// The longest typed code, in bytes, blanks included.
    public static let codeBytesMax = 32
    /// The longest lifetime of an embedded link, in seconds: a week.
    public static let embeddedLinkSecondsMax: Int64 = 7 * 86_400
    /// The time to set an authenticator app up, in seconds; later the user begins anew.
    public static let authenticatorSetupSeconds: Int64 = 1_800
    /// Authenticators of one user that wait for their first code.
    public static let authenticatorsPendingMax = 3
    /// Custom claims and details that one code or link carries, as JSON, in bytes.
    public static let proofFactsBytesMax = 16_384
    /// A redirect address, in bytes.
    public static let redirectBytesMax = 2_048

    // Passkeys.

    /// A request with a credential in it, in bytes: an attestation of the largest kind, in base64url.
    public static let passkeyBodyBytesMax = 131_072

    /// How much longer than a client's timeout its answer is accepted, in seconds: it has to travel.
    public static let passkeyAnswerSeconds: Int64 = 30
    /// A sign-in page that offers passkeys by itself may stay open for so long, in seconds.
    public static let quietCeremonySeconds: Int64 = 3_600
    /// A site's backend redeems a registration's token within this time, in seconds.
    public static let registrationTokenSeconds: Int64 = 300
    /// A site's backend redeems an authentication's token within this time, in seconds.
    public static let authenticationTokenSeconds: Int64 = 120
    /// A user handle, in bytes: as many as the standard advises (WebAuthn Level 3 §14.6.1 asks for no meaning in it).
    public static let userHandleBytes = 32
    /// The identifier of a ceremony of the methods, in bytes: it holds the request.
    public static let transactionBytesMax = 32_768
    /// Passkeys of one user: every device, every key, and room for forgotten ones.
    public static let passkeysOfUserMax = 50
    /// A user who declines a passkey is asked again after so long, in seconds: 30 days.
    public static let passkeyOfferPauseSeconds: Int64 = 2_592_000
    /// A passkey's name, in characters.
    public static let passkeyNameLengthMax = 64
    /// A name of a site's user, in bytes of UTF-8: 255 characters.
    public static let siteUserBytesMax = 1_024

    // Sessions of other issuers.

    /// How far another issuer's clock may differ, in seconds.
    public static let foreignClockSeconds: Int64 = 30
    /// Keys tried on one foreign token that names none.
    public static let foreignKeysTriedMax = 4
    /// A foreign `sub`, in bytes (OpenID Connect Core §2 allows 255).
    public static let subjectBytesMax = 255
    /// Another issuer's key set, in bytes.
    public static let foreignKeySetBytesMax = 262_144
    /// Foreign keys are fetched again after so long, in seconds.
    public static let foreignKeySeconds: Int64 = 3_600
    /// They are used for so long when they cannot be fetched again, in seconds.
    public static let foreignKeyStaleSeconds: Int64 = 86_400
    /// The pause between two attempts to fetch them, in seconds.
    public static let foreignKeyCooldownSeconds: Int64 = 30
    /// How long fetching them may take, in seconds: a user waits.
    public static let foreignKeyFetchSeconds: Int64 = 5

    // Messages: they cost money and annoy users.

    /// The window in which messages are counted, in seconds.
    public static let sendWindowSeconds: Int64 = 3_600
    /// Messages to one user, asked for by one network.
    public static let sendsPerAccountAndNetworkMax: Int64 = 10
    /// Messages to one user, asked for by all networks that never signed in to that account.
    public static let sendsPerAccountMax: Int64 = 20
    /// Messages asked for by one network, to any users.
    public static let sendsPerNetworkMax: Int64 = 300
    /// Names that one network is told of, by sign-ups that must answer at once, that they are taken.
    public static let takenNamesToldMax: Int64 = 30
    /// Text messages and calls to one country without a right code in answer (toll fraud).
    public static let unansweredPerCountryMax: Int64 = 200
    /// Earlier passwords that may be remembered for one user.
    public static let passwordHistoryMax = 24

    // Guessing.

    /// Failures on one account from one network before answers get slow.
    public static let attemptsPerAccountAndNetworkMax: Int64 = 10
    /// Failures on one account from networks that never signed in to it (NIST SP 800-63B allows 100).
    public static let attemptsPerAccountMax: Int64 = 100
    /// Failures from one network on any accounts: an office behind one address makes typos, but not thousands.
    public static let attemptsPerNetworkMax: Int64 = 300
    /// How long a failure is remembered, in seconds.
    public static let attemptWindowSeconds: Int64 = 3_600
    /// The longest wait that guessing causes, in seconds.
    public static let attemptDelayMaxSeconds: Int64 = 900
}
