public import KeyturnBase

/// A credential's public key, in one of the forms in which services export it.
public enum PasskeyPublicKey: Hashable, Sendable {
    /// A COSE key (RFC 9052 §7), as the authenticator wrote it.
    case cose([UInt8])
    /// `SubjectPublicKeyInfo` in DER. RSA keys need the number of their COSE algorithm, such as -257.
    case spki([UInt8], algorithm: Int64? = nil)
    /// A JSON Web Key (RFC 7517). RSA keys need the number of their COSE algorithm, such as -257.
    case jwk(JSONValue, algorithm: Int64? = nil)
}

extension PasskeyPublicKey {
    /// Reads the one member that names the form.
    init(_ members: PasskeyMembers) throws(PasskeyMessageProblem) {
        let forms = ["cose", "spki", "jwk"].filter { members.value($0) != nil }
        guard let form = forms.first else { throw PasskeyMessageProblem(.missing, members.name("cose")) }
        guard forms.count == 1 else { throw PasskeyMessageProblem(.inconsistent, members.name(forms[1])) }
        let algorithm = try members.optionalInteger("algorithm", bounds: -65_536...65_535)
        switch form {
        case "cose":
            guard algorithm == nil else { throw PasskeyMessageProblem(.inconsistent, members.name("algorithm")) }
            self = .cose(try members.bytes("cose", count: PasskeyLimits.publicKeyBytes))
        case "spki":
            self = .spki(try members.bytes("spki", count: PasskeyLimits.publicKeyBytes), algorithm: algorithm)
        default: self = .jwk(.object(try members.object("jwk").members), algorithm: algorithm)
        }
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [:]
        switch self {
        case .cose(let bytes): members["cose"] = .string(Base64URL.encode(bytes))
        case .spki(let bytes, let algorithm):
            members["spki"] = .string(Base64URL.encode(bytes))
            members.add("algorithm", algorithm)
        case .jwk(let key, let algorithm):
            members["jwk"] = key
            members.add("algorithm", algorithm)
        }
        return .object(members)
    }
}

/// A credential that was registered with another service, and what that service knew of it.
public struct ImportedPasskey: Hashable, Sendable {
    /// The identifier that authenticators know, 1 to 1023 bytes: `rawId` of WebAuthn.
    public var rawID: [UInt8]
    /// The public key.
    public var publicKey: PasskeyPublicKey
    /// The relying party's own identifier of the user, who is made on first use; 1 to 255 characters.
    public var userID: String
    /// What the person types to sign in; `nil`: nothing.
    public var username: String?
    /// `user.id` of the registration, 1 to 64 bytes. Authenticators give it at each sign-in, so it cannot be made up.
    public var userHandle: [UInt8]
    /// The signature counter of the last sign-in; 0 if the authenticator does not count.
    public var signCount: UInt32
    /// Whether it can be backed up (flag BE). A wrong one makes every sign-in fail.
    public var isBackupEligible: Bool
    /// Whether it is backed up (flag BS).
    public var isBackedUp: Bool
    /// Whether the person was verified with it at least once (flag UV).
    public var isUvInitialized: Bool
    /// How its authenticator can be reached: `internal`, `hybrid`, `usb`, …
    public var transports: [String]
    /// The kind of its authenticator, with hyphens; `nil`: not known.
    public var aaguid: String?
    /// What people call it; `nil`: the name of its kind.
    public var name: String?
    /// When it was registered; `nil`: now.
    public var createdAt: UnixTime?

    /// A credential of another service.
    public init(
        rawID: [UInt8], publicKey: PasskeyPublicKey, userID: String, username: String? = nil, userHandle: [UInt8],
        signCount: UInt32 = 0, isBackupEligible: Bool, isBackedUp: Bool, isUvInitialized: Bool = false,
        transports: [String] = [], aaguid: String? = nil, name: String? = nil, createdAt: UnixTime? = nil
    ) {
        self.rawID = rawID
        self.publicKey = publicKey
        self.userID = userID
        self.username = username
        self.userHandle = userHandle
        self.signCount = signCount
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.isUvInitialized = isUvInitialized
        self.transports = transports
        self.aaguid = aaguid
        self.name = name
        self.createdAt = createdAt
    }
}

extension ImportedPasskey {
    init(_ members: PasskeyMembers) throws(PasskeyMessageProblem) {
        rawID = try members.bytes("rawId", count: PasskeyLimits.rawIDBytes)
        publicKey = try PasskeyPublicKey(members.object("publicKey"))
        let user = try members.object("user")
        userID = try user.text("id", bounds: PasskeyLimits.userCharacters)
        username = try user.optionalText("username", bounds: PasskeyLimits.userCharacters)
        userHandle = try members.bytes("userHandle", count: PasskeyLimits.userHandleBytes)
        signCount = UInt32(try members.optionalInteger("signCount", bounds: PasskeyLimits.signCounts) ?? 0)
        isBackupEligible = try members.flag("isBackupEligible")
        isBackedUp = try members.flag("isBackedUp")
        guard isBackupEligible || !isBackedUp else {
            throw PasskeyMessageProblem(.inconsistent, members.name("isBackedUp"))
        }
        isUvInitialized = try members.optionalFlag("isUvInitialized") ?? false
        transports = try members.texts("transports", max: PasskeyLimits.transports)
        aaguid = try members.optionalText("aaguid", bounds: 36...36)
        name = try members.optionalText("name", bounds: PasskeyLimits.nameCharacters)
        createdAt = try members.optionalTime("createdAt")
    }

    var json: JSONValue {
        var user: [String: JSONValue] = ["id": .string(userID)]
        user.add("username", username)
        var members: [String: JSONValue] = [
            "rawId": .string(Base64URL.encode(rawID)), "publicKey": publicKey.json, "user": .object(user),
            "userHandle": .string(Base64URL.encode(userHandle)), "signCount": .integer(Int64(signCount)),
            "isBackupEligible": .bool(isBackupEligible), "isBackedUp": .bool(isBackedUp),
            "isUvInitialized": .bool(isUvInitialized), "transports": .texts(transports),
        ]
        members.add("aaguid", aaguid)
        members.add("name", name)
        members.add("createdAt", createdAt?.rawValue)
        return .object(members)
    }
}

/// `/credential/import`: adds credentials of another service, all of them or none. Answered by
/// ``PasskeyCredentialList``, in the order of the request.
public struct CredentialImportRequest: Hashable, Sendable {
    /// 1 to 100 credentials.
    public var credentials: [ImportedPasskey]

    /// A request to add these credentials.
    public init(credentials: [ImportedPasskey]) {
        self.credentials = credentials
    }
}

extension CredentialImportRequest: PasskeyMessage {
    public init(json: JSONValue) throws(PasskeyMessageProblem) {
        guard let elements = try PasskeyMembers(json).required("credentials").arrayValue else {
            throw PasskeyMessageProblem(.wrongType, "credentials")
        }
        guard PasskeyLimits.importedCredentials.contains(elements.count) else {
            throw PasskeyMessageProblem(.outOfBounds, "credentials")
        }
        var credentials: [ImportedPasskey] = []
        for (index, element) in elements.enumerated() {
            credentials.append(try ImportedPasskey(PasskeyMembers(element, path: "credentials[\(index)]")))
        }
        self.credentials = credentials
    }

    public var json: JSONValue { ["credentials": .array(credentials.map(\.json))] }
}
