internal import Crypto
internal import KeyturnBase

/// What the client says about a ceremony (WebAuthn Level 3 §5.8.1), read but not believed.
public struct ClientData: Hashable, Sendable {
    /// `webauthn.create` or `webauthn.get`.
    public let type: String
    /// As it was written: unpadded base64url.
    public let challenge: String
    /// The origin of the page that ran the ceremony.
    public let origin: String
    /// Whether the ceremony ran in a frame of another site; absent is `false`.
    public let crossOrigin: Bool
    /// The site around that frame, if the client tells.
    public let topOrigin: String?
    /// SHA-256 of the bytes: what is signed.
    public let hash: [UInt8]

    /// Reads `clientDataJSON` strictly: no member twice, no invalid text, nothing after it. Unknown members are
    /// ignored, as §5.8.1 demands.
    ///
    /// - Throws: `clientDataMalformed`.
    public init(_ encoded: [UInt8]) throws(WebAuthnProblem) {
        let json: JSONValue
        do {
            // A byte order mark belongs to the text's encoding, not to the text (§7.1 step 5).
            let text = encoded.starts(with: [0xEF, 0xBB, 0xBF]) ? encoded[3...] : encoded[...]
            json = try JSONValue(
                parsing: text,
                limits: .init(bytesMax: WebAuthnLimits.clientDataBytes, depthMax: 8, membersMax: 64))
        } catch {
            throw Self.problem("it is not JSON as it should be: \(error.rule.rawValue)")
        }
        guard let type = json["type"]?.stringValue, let challenge = json["challenge"]?.stringValue,
            let origin = json["origin"]?.stringValue
        else { throw Self.problem("type, challenge and origin are texts, and must be there") }
        self.type = type
        self.challenge = challenge
        self.origin = origin
        switch json["crossOrigin"] {
        case nil: crossOrigin = false
        case .bool(let value): crossOrigin = value
        default: throw Self.problem("crossOrigin is true or false")
        }
        switch json["topOrigin"] {
        case nil: topOrigin = nil
        case .string(let value): topOrigin = value
        default: throw Self.problem("topOrigin is a text")
        }
        guard topOrigin == nil || crossOrigin else {
            throw Self.problem("topOrigin is told of frames of another site only")
        }
        try Self.checkTokenBinding(json["tokenBinding"])
        hash = Array(SHA256.hash(data: encoded))
    }

    /// Token binding is gone from the standard; clients that still send it must send it in its form (Level 2 §5.8.1).
    private static func checkTokenBinding(_ value: JSONValue?) throws(WebAuthnProblem) {
        guard let value else { return }
        switch value["status"]?.stringValue {
        case "supported", "not-supported": return
        case "present" where value["id"]?.stringValue?.isEmpty == false: return
        default: throw problem("tokenBinding has a status that does not exist")
        }
    }

    private static func problem(_ detail: String) -> WebAuthnProblem {
        WebAuthnProblem(.clientDataMalformed, "client data: \(detail)")
    }
}
