public import KeyturnBase

/// What a device asks the key service: one flat object of texts, whatever is asked (Trifork Identity Manager's key
/// service, version 1).
///
/// `createkey` wants ``secret``; `key` wants ``keyID`` and one of the two secrets. `changesecret` and `deletekey` are ours.
public struct KeyServiceRequest: Sendable {
    /// What the person knows: a PIN or a password.
    public var secret: Secret?
    /// What the device keeps behind a fingerprint.
    public var longSecret: Secret?
    /// Which key.
    public var keyID: String?
    /// What is to take the place of ``secret`` (`changesecret`).
    public var newSecret: Secret?

    /// A request; what is left out is not in it.
    public init(
        secret: Secret? = nil, longSecret: Secret? = nil, keyID: String? = nil, newSecret: Secret? = nil
    ) {
        self.secret = secret
        self.longSecret = longSecret
        self.keyID = keyID
        self.newSecret = newSecret
    }

    /// Reads a body. Unknown members are ignored; `null` is as good as missing.
    ///
    /// - Returns: `nil` for anything but an object, and for a member that is known and no text.
    public init?(parsing body: [UInt8], limits: JSONValue.Limits = .standard) {
        guard let members = (try? JSONValue(parsing: body, limits: limits))?.objectValue else { return nil }
        var texts: [Member: String] = [:]
        for member in Member.allCases {
            switch members[member.rawValue] {
            case nil, .null: continue
            case .string(let text): texts[member] = text
            default: return nil
            }
        }
        self.init(
            secret: texts[.secret].map { Secret($0) }, longSecret: texts[.longSecret].map { Secret($0) },
            keyID: texts[.keyID], newSecret: texts[.newSecret].map { Secret($0) })
    }

    /// The body to send. It holds secrets.
    public var body: [UInt8] {
        JSONWriter.object { json in
            json.member("secret", secret?.exposed())
            json.member("longsecret", longSecret?.exposed())
            json.member("keyid", keyID)
            json.member("newsecret", newSecret?.exposed())
        }
    }

    private enum Member: String, CaseIterable {
        case secret
        case longSecret = "longsecret"
        case keyID = "keyid"
        case newSecret = "newsecret"
    }
}
