public import KeyturnBase

/// A credential as backends see it.
public struct PasskeyCredential: Hashable, Sendable {
    /// The service's own identifier, such as `ctl_…`; not the one that authenticators know.
    public var id: String
    /// The kind of authenticator, with hyphens and in lower case; all zero if it does not say.
    public var aaguid: String
    /// What people call it: the name they gave, else that of its kind.
    public var name: String
    /// Whether it may be used.
    public var isActive: Bool
    /// Whether it is backed up now.
    public var isBackedUp: Bool
    /// Whether it can be backed up.
    public var isBackupEligible: Bool
    /// Whether the person was verified with it at least once.
    public var isUvInitialized: Bool
    /// When the credential was registered.
    public var createdAt: UnixTime
    /// How its authenticator can be reached: `ble`, `hybrid`, `internal`, `nfc`, `smart-card`, `usb`, and what may come.
    public var transports: [String]
    /// When it was last used; our addition. `nil`: never, or the service does not say.
    public var usedAt: UnixTime?

    /// A credential, as the service lists it.
    public init(
        id: String, aaguid: String, name: String, isActive: Bool, isBackedUp: Bool, isBackupEligible: Bool,
        isUvInitialized: Bool, createdAt: UnixTime, transports: [String], usedAt: UnixTime? = nil
    ) {
        self.id = id
        self.aaguid = aaguid
        self.name = name
        self.isActive = isActive
        self.isBackedUp = isBackedUp
        self.isBackupEligible = isBackupEligible
        self.isUvInitialized = isUvInitialized
        self.createdAt = createdAt
        self.transports = transports
        self.usedAt = usedAt
    }
}

extension PasskeyCredential: PasskeyMessage {
    /// All but `usedAt` must be there.
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json)
        id = try members.text("id", bounds: PasskeyLimits.tokenCharacters)
        aaguid = try members.text("aaguid", bounds: 36...36)
        name = try members.text("name", bounds: PasskeyLimits.nameCharacters)
        isActive = try members.flag("isActive")
        isBackedUp = try members.flag("isBackedUp")
        isBackupEligible = try members.flag("isBackupEligible")
        isUvInitialized = try members.flag("isUvInitialized")
        createdAt = try members.time("createdAt")
        _ = try members.required("transports")
        transports = try members.texts("transports", max: PasskeyLimits.transports)
        usedAt = try members.optionalTime("usedAt")
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id), "aaguid": .string(aaguid), "name": .string(name), "isActive": .bool(isActive),
            "isBackedUp": .bool(isBackedUp), "isBackupEligible": .bool(isBackupEligible),
            "isUvInitialized": .bool(isUvInitialized), "createdAt": .integer(createdAt.rawValue),
            "transports": .texts(transports),
        ]
        members.add("usedAt", usedAt?.rawValue)
        return .object(members)
    }
}

/// A user's credentials, the newest first.
public struct PasskeyCredentialList: Hashable, Sendable {
    /// The credentials of one user.
    public var credentials: [PasskeyCredential]
    /// What a page or an app may tell the user's devices, so that they offer no passkey that was removed. A Keyturn server
    /// sends one for each user handle; others may send none.
    public var signals: [AcceptedPasskeys]

    /// A list of these credentials.
    public init(credentials: [PasskeyCredential], signals: [AcceptedPasskeys] = []) {
        self.credentials = credentials
        self.signals = signals
    }
}

extension PasskeyCredentialList: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        let members = try PasskeyMembers(json)
        guard let elements = try members.required("credentials").arrayValue else {
            throw PasskeyMessageProblem(.wrongType, "credentials")
        }
        guard elements.count <= PasskeyLimits.credentials else {
            throw PasskeyMessageProblem(.outOfBounds, "credentials")
        }
        var credentials: [PasskeyCredential] = []
        for element in elements { credentials.append(try PasskeyCredential(json: element)) }
        self.credentials = credentials
        guard let told = members.value("signals") else {
            signals = []
            return
        }
        guard let elements = told.arrayValue else { throw PasskeyMessageProblem(.wrongType, "signals") }
        guard elements.count <= PasskeyLimits.credentials else { throw PasskeyMessageProblem(.outOfBounds, "signals") }
        var signals: [AcceptedPasskeys] = []
        for element in elements { signals.append(try AcceptedPasskeys(json: element)) }
        self.signals = signals
    }

    public var json: JSONValue {
        ["credentials": .array(credentials.map(\.json)), "signals": .array(signals.map(\.json))]
    }
}
