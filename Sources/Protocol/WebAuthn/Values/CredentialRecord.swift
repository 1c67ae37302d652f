/// What a relying party keeps of a credential (WebAuthn Level 3 §4, credential record).
public struct CredentialRecord: Hashable, Sendable {
    /// 1 to 1023 bytes; unique among all credentials of the relying party.
    public var id: [UInt8]
    /// `user.id` of the registration, 1 to 64 bytes: whose credential this is.
    public var userHandle: [UInt8]
    /// The public key in COSE form, as ``COSEKey`` reads it.
    public var publicKey: [UInt8]
    /// The signature counter of the last answer; 0 if the authenticator does not count.
    public var signCount: UInt32
    /// Whether this credential ever verified its user. Raise it only after another factor as good (§7.2 step 24).
    public var uvInitialized: Bool
    /// How its authenticator can be reached: `internal`, `usb`, … Hand them back in requests, as they are.
    public var transports: [String]
    /// Never changes.
    public var backupEligible: Bool
    /// Whether the credential was backed up at the last answer.
    public var backupState: Bool
    /// The authenticator's model; zero if it did not say.
    public var aaguid: AAGUID

    /// A record, as it was stored.
    public init(
        id: [UInt8], userHandle: [UInt8], publicKey: [UInt8], signCount: UInt32, uvInitialized: Bool,
        transports: [String], backupEligible: Bool, backupState: Bool, aaguid: AAGUID
    ) {
        self.id = id
        self.userHandle = userHandle
        self.publicKey = publicKey
        self.signCount = signCount
        self.uvInitialized = uvInitialized
        self.transports = transports
        self.backupEligible = backupEligible
        self.backupState = backupState
        self.aaguid = aaguid
    }
}
