public import KeyturnBase

/// Signs payloads into compact tokens (RFC 7515 §7.1). The header is the same for all of them and encoded once.
public struct JWSSigner: Sendable {
    private let key: SigningKey
    /// `BASE64URL(header) || '.'`.
    private let head: [UInt8]

    /// - Parameters:
    ///   - keyID: `nil` takes the key's thumbprint.
    ///   - type: the `typ` that keeps this kind of token apart from every other.
    ///   - extra: further header members, such as `jwk` in a DPoP proof (RFC 9449 §4.2).
    public init(key: SigningKey, keyID: String? = nil, type: String?, extra: [String: JSONValue] = [:]) {
        self.key = key
        let kid = keyID ?? key.publicKey.keyID
        let header = JSONWriter.object { json in
            json.member("alg", key.algorithm.rawValue)
            json.member("typ", type)
            json.member("kid", kid)
            for (name, value) in extra.sorted(by: { $0.key < $1.key }) { json.member(named: name, value) }
        }
        head = Base64URL.encoded(header) + [UInt8(ascii: ".")]
    }

    /// The compact token.
    ///
    /// - Throws: `signature` if the crypto library cannot sign.
    public func sign(_ payload: [UInt8]) throws(JoseProblem) -> String {
        var token: [UInt8] = []
        token.reserveCapacity(head.count + payload.count * 4 / 3 + 700)
        token.append(contentsOf: head)
        token.append(contentsOf: Base64URL.encoded(payload))
        let signature = try key.signature(for: token)
        token.append(UInt8(ascii: "."))
        token.append(contentsOf: Base64URL.encoded(signature))
        return String(decoding: token, as: UTF8.self)
    }
}
