/// The bounds of connections to identity providers.
extension Limits {
    /// Connections of a project, with those of its tenants.
    public static let connectionsMax = 10_000
    /// Users who are excluded from a tenant's single sign-on.
    public static let singleSignOnExclusionsMax = 100
    /// Characters of a connection's identifier, which is part of addresses.
    public static let connectionIDLengthMax = 64
    /// Entries of one list or mapping of a connection.
    public static let connectionEntriesMax = 200
    /// Bytes of one text of a connection: a private key or a certificate in PEM.
    public static let connectionTextBytesMax = 16_384
    /// Characters of a SAML provider's entityID (SAML 2.0 Core §8.3.6).
    public static let entityIDLengthMax = 1_024
    /// Certificates of one SAML provider: the present one and its successors.
    public static let providerCertificatesMax = 4
    /// How far the clock of a SAML provider may differ at most, in seconds.
    public static let samlSkewSecondsMax: Int64 = 180
    /// How often the metadata of a SAML provider is read again, in seconds, and how much earlier or later it may be: so
    /// that not all are read at once.
    public static let metadataSeconds: Int64 = 86_400
    public static let metadataJitterSeconds: Int64 = 3_600
    /// When metadata is read again that could not be read, in seconds.
    public static let metadataRetrySeconds: Int64 = 3_600
    /// How long one process has to read a provider's metadata before another may, in seconds.
    public static let metadataLeaseSeconds: Int64 = 120
    /// How often a provider is asked to revoke the tokens of a user who is gone.
    public static let revocationAttemptsMax = 20
    /// How long a user may take at the provider, in seconds.
    public static let federationSeconds: Int64 = 600
    /// How long the code counts with which an app fetches its session after a sign-in at a provider, in seconds.
    public static let exchangeCodeSeconds: Int64 = 60
    /// How long the user may take to sign in another way, so that an identity is linked, in seconds.
    public static let pendingIdentitySeconds: Int64 = 1_800
    /// How far a provider's clock may differ, in seconds.
    public static let federationSkewSeconds: Int64 = 60
    /// Departures to providers from one network within ``federationSeconds``: each keeps a row.
    public static let departuresMax: Int64 = 300
    /// Bytes of a provider's answer that comes as a form: a SAML response of 256 KiB, its name and RelayState.
    public static let providerAnswerBytesMax = 278_528
    /// Messages of SAML that wait for a thread that verifies their signature; others are told to come again.
    public static let verificationsWaitingMax = 64
    /// Seconds after which a message is sent again that found too many waiting.
    public static let verificationRetrySeconds = 5
    /// Identities of one user at all providers.
    public static let identitiesOfUserMax = 50
    /// Users whose roles are taken in one transaction when their connection is removed.
    public static let rolesWithdrawnMax = 200
    /// Bytes of a provider's claims that are kept.
    public static let federatedClaimsBytesMax = 16_384
    /// Bytes of an identity's subject: SAML's NameID has at most 256 characters, with qualifiers.
    public static let federatedSubjectBytesMax = 2_048
    /// Threads that wait for directories (LDAP), and questions that may wait for one of them.
    public static let directoryThreadsMax = 16
    public static let directoryBacklogMax = 64
    /// How long a user waits for a directory's answer to one question, in milliseconds.
    public static let directoryMilliseconds = 3_000
    /// A directory that did not answer so often in a row is left alone for a while.
    public static let directoryFailuresMax = 3
    /// How long, in seconds.
    public static let directoryPauseSeconds: Int64 = 10
    /// Bytes of a name that a directory is asked for.
    public static let directoryLoginBytesMax = 320
    /// Values of one attribute, and groups of a user: with more, the groups are unknown.
    public static let directoryValuesMax = 1_000
    /// Bytes of one value.
    public static let directoryValueBytesMax = 4_096
    /// Guesses at the password of one entry within ``directoryGuessSeconds``, from anywhere: fewer than directories
    /// take before they lock it.
    public static let directoryGuessesMax: Int64 = 8
    /// In seconds.
    public static let directoryGuessSeconds: Int64 = 900
    /// How often directories are asked whether users with open sessions are still there, in seconds.
    public static let directoryRoundSeconds = 900
    /// Identities that are read at a time for that.
    public static let directoryRoundBatch = 100
}
