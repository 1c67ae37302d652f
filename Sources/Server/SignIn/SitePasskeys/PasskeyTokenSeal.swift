internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire
internal import Model

/// One-time tokens that a site's page gives to its backend. They are sealed, so that nothing is stored before they are
/// redeemed, and marked as used then.
struct PasskeyTokenSeal: Sendable {
    private let seal: Seal
    private let ambient: Ambient

    /// A token of one kind is not accepted as the other.
    private enum Kind: String {
        case registration, authentication
    }

    /// What an authentication showed.
    struct Authenticated: Hashable, Sendable {
        let passkey: PasskeyID
        let isUserVerified: Bool
        let at: UnixTime
    }

    /// A token that was opened.
    struct Opened<Content: Sendable>: Sendable {
        let content: Content
        let mark: ReplayMark
    }

    init(_ secrets: ServerSecrets, ambient: Ambient) {
        seal = Seal(secrets, purpose: .passkey, ambient: ambient)
        self.ambient = ambient
    }

    /// A token that registers this passkey when it is redeemed.
    func token(for passkey: StoredPasskey) -> PasskeyToken {
        close(passkey.sealedForm, .registration, at: passkey.relyingParty, seconds: Limits.registrationTokenSeconds)
    }

    /// A token that names the user who signed in.
    func token(for authenticated: Authenticated, at party: RelyingParty) -> PasskeyToken {
        let form: [String: JSONValue] = [
            "id": .string(authenticated.passkey.rawValue), "uv": .bool(authenticated.isUserVerified),
            "at": .integer(authenticated.at.rawValue),
        ]
        return close(form, .authentication, at: party.id, seconds: Limits.authenticationTokenSeconds)
    }

    /// - Throws: ``SiteProblem/tokenUnknown``; ``SiteProblem/tokenExpired``.
    func passkey(in token: Secret, at party: RelyingParty) throws(SiteProblem) -> Opened<StoredPasskey> {
        let (form, mark) = try open(token, .registration, at: party)
        guard let passkey = StoredPasskey(sealedForm: form, relyingParty: party.id) else { throw .tokenUnknown }
        return Opened(content: passkey, mark: mark)
    }

    /// - Throws: ``SiteProblem/tokenUnknown``; ``SiteProblem/tokenExpired``.
    func authenticated(in token: Secret, at party: RelyingParty) throws(SiteProblem) -> Opened<Authenticated> {
        let (form, mark) = try open(token, .authentication, at: party)
        guard let id = form["id"]?.stringValue, let isVerified = form["uv"]?.boolValue,
            let time = form["at"]?.integerValue
        else { throw .tokenUnknown }
        return Opened(
            content: Authenticated(
                passkey: PasskeyID(rawValue: id), isUserVerified: isVerified, at: UnixTime(rawValue: time)),
            mark: mark)
    }

    private func close(_ form: [String: JSONValue], _ kind: Kind, at party: String, seconds: Int64) -> PasskeyToken {
        let expiresAt = ambient.now() + seconds
        var form = form
        form["exp"] = .integer(expiresAt.rawValue)
        let sealed = seal.seal(JSONValue.object(form).serialized, context: Self.context(kind, party))
        return PasskeyToken(token: Secret(Base64URL.encode(sealed)), expiresAt: expiresAt)
    }

    private func open(_ token: Secret, _ kind: Kind, at party: RelyingParty) throws(SiteProblem) -> (
        JSONValue, ReplayMark
    ) {
        let text = token.exposed()
        guard text.utf8.count <= PasskeyLimits.tokenCharacters.upperBound, let sealed = Base64URL.decode(text),
            let plain = seal.open(sealed, context: Self.context(kind, party.id)),
            let form = try? JSONValue(parsing: plain), let expiry = form["exp"]?.integerValue
        else { throw .tokenUnknown }
        let expiresAt = UnixTime(rawValue: expiry)
        guard ambient.now() < expiresAt else { throw .tokenExpired }
        return (form, ReplayMark(of: sealed, expiresAt: expiresAt))
    }

    private static func context(_ kind: Kind, _ party: String) -> [UInt8] {
        Array("token/\(kind.rawValue)/\(party)".utf8)
    }
}

extension StoredPasskey {
    fileprivate var sealedForm: [String: JSONValue] {
        [
            "id": .string(id.rawValue), "cred": Self.text(record.id), "handle": Self.text(record.userHandle),
            "key": Self.text(record.publicKey), "count": .integer(Int64(record.signCount)),
            "uv": .bool(record.uvInitialized), "transports": .array(record.transports.map(JSONValue.string)),
            "be": .bool(record.backupEligible), "bs": .bool(record.backupState),
            "aaguid": .string(record.aaguid.description), "name": .string(name), "fmt": .string(attestationFormat),
            "at": .integer(createdAt.rawValue),
        ]
    }

    fileprivate init?(sealedForm form: JSONValue, relyingParty: String) {
        guard let id = form["id"]?.stringValue, let credential = Self.bytes(form["cred"]),
            let handle = Self.bytes(form["handle"]), let key = Self.bytes(form["key"]),
            let count = form["count"]?.integerValue.flatMap(UInt32.init(exactly:)),
            let isVerified = form["uv"]?.boolValue, let transports = form["transports"]?.stringArrayValue,
            let isEligible = form["be"]?.boolValue, let isBackedUp = form["bs"]?.boolValue,
            let aaguid = form["aaguid"]?.stringValue.flatMap({ AAGUID($0) }), let name = form["name"]?.stringValue,
            let format = form["fmt"]?.stringValue, let time = form["at"]?.integerValue
        else { return nil }
        self.init(
            id: PasskeyID(rawValue: id), relyingParty: relyingParty,
            record: CredentialRecord(
                id: credential, userHandle: handle, publicKey: key, signCount: count, uvInitialized: isVerified,
                transports: transports, backupEligible: isEligible, backupState: isBackedUp, aaguid: aaguid),
            name: name, attestationFormat: format, createdAt: UnixTime(rawValue: time))
    }

    private static func text(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }

    private static func bytes(_ json: JSONValue?) -> [UInt8]? { json?.stringValue.flatMap { Base64URL.decode($0) } }
}
