public import KeyturnBase

/// What a key behind a fingerprint signs, before it does: a JWS whose header brings the key at set-up alone.
///
/// Signing is the caller's, because the key may live in a device that asks for the person first.
public struct BiometricRequestDraft: Sendable {
    /// What is signed: `BASE64URL(header) || '.' || BASE64URL(payload)`, in ASCII (RFC 7515 §5.1).
    public let signingInput: [UInt8]

    /// - Parameters:
    ///   - type: `typ`.
    ///   - action: `action`.
    ///   - keyID: `kid`, 8…64 letters, digits, `-` and `_`.
    ///   - algorithm: What the key signs with.
    ///   - publicKey: The key's public half, to set it up; `nil`: the service has it.
    ///   - challenge: The service's, unchanged.
    ///   - deviceInfo: What the device says about itself; `nil`: the kind of request has no place for it.
    ///   - issuedAt: By the service's clock.
    ///   - seconds: For so long it is good.
    public init(
        type: String, action: String, keyID: String, algorithm: SignatureAlgorithm, publicKey: JSONWebKey?,
        challenge: String, deviceInfo: JSONValue?, issuedAt: UnixTime, seconds: Int64
    ) {
        let header = JSONWriter.object { json in
            json.member("typ", type)
            json.member("kid", keyID)
            json.member("alg", algorithm.rawValue)
            if let publicKey {
                json.member(
                    "jwk",
                    JSONWebKey(
                        material: publicKey.material, keyID: keyID, algorithm: algorithm, use: nil
                    ).json)
            }
        }
        let payload = JSONWriter.object { json in
            json.member("iat", issuedAt.rawValue)
            json.member("exp", (issuedAt + seconds).rawValue)
            json.member("challenge", challenge)
            json.member("action", action)
            if let deviceInfo { json.member("device_info", deviceInfo) }
        }
        signingInput = Base64URL.encoded(header) + [UInt8(ascii: ".")] + Base64URL.encoded(payload)
    }

    /// The signed request.
    ///
    /// - Parameter signature: Over ``signingInput``, in the form of JWS: not DER (RFC 7518 §3.4).
    public func request(signature: [UInt8]) -> String {
        String(decoding: signingInput + [UInt8(ascii: ".")] + Base64URL.encoded(signature), as: UTF8.self)
    }
}
