internal import Crypto
public import KeyturnBase

/// What a DPoP proof says, before it is signed (RFC 9449 §4.2).
///
/// The key may live in a device that signs in its own time, so that signing is the caller's:
///
/// ```swift
/// let draft = try DPoPProofDraft(
///     publicKey: key, method: "GET", url: url, accessToken: token, nonce: nonce,
///     id: ambient.randomToken(byteCount: 16), issuedAt: ambient.now())
/// let proof = draft.proof(signature: try await device.sign(draft.signingInput))
/// ```
public struct DPoPProofDraft: Sendable {
    /// What is signed with ES256: `BASE64URL(header) || '.' || BASE64URL(payload)`, in ASCII (RFC 7515 §5.1).
    public let signingInput: [UInt8]

    /// How long an ES256 signature is, in bytes: both integers side by side (RFC 7518 §3.4).
    private static let signatureBytes = 64

    /// - Parameters:
    ///   - publicKey: The public half of the key that signs, on P-256. Its name and purpose are left out.
    ///   - method: The request's method, as it is sent (`htm`).
    ///   - url: The request's URL (`htu`). Query and fragment are cut off.
    ///   - accessToken: The token that the request presents, whose hash becomes `ath`; `nil` at the token endpoint.
    ///   - nonce: What the server asked for in `DPoP-Nonce` (RFC 9449 §8); `nil` if it did not.
    ///   - id: `jti`: at least 96 random bits, new for every request. 1…256 bytes.
    ///   - issuedAt: `iat`.
    /// - Throws: `invalidKey` if the key is not on P-256.
    public init(
        publicKey: JSONWebKey, method: String, url: String, accessToken: String? = nil, nonce: String? = nil,
        id: String, issuedAt: UnixTime
    ) throws(JoseProblem) {
        precondition((1...DPoPLimits.idBytes).contains(id.utf8.count), "jti has 1...256 bytes")
        guard case .ec(.p256, _, _) = publicKey.material else {
            throw JoseProblem(.invalidKey, "a proof is signed by a key on P-256")
        }
        let bare = JSONWebKey(material: publicKey.material, keyID: nil, algorithm: nil, use: nil)
        let header = JSONWriter.object { json in
            json.member("typ", UnverifiedDPoPProof.type)
            json.member("alg", SignatureAlgorithm.es256.rawValue)
            json.member("jwk", bare.json)
        }
        let payload = JSONWriter.object { json in
            json.member("jti", id)
            json.member("htm", method)
            json.member("htu", String(url.prefix { $0 != "?" && $0 != "#" }))
            json.member("iat", issuedAt.rawValue)
            json.member("ath", accessToken.map(UnverifiedDPoPProof.hash))
            json.member("nonce", nonce)
        }
        signingInput = Base64URL.encoded(header) + [UInt8(ascii: ".")] + Base64URL.encoded(payload)
    }

    /// The value of the `DPoP` header.
    ///
    /// - Parameter signature: Over ``signingInput``, in the form of JWS: 64 bytes, not DER (RFC 7518 §3.4).
    public func proof(signature: [UInt8]) -> String {
        precondition(signature.count == Self.signatureBytes, "an ES256 signature has 64 bytes; is this one DER?")
        return String(decoding: signingInput + [UInt8(ascii: ".")] + Base64URL.encoded(signature), as: UTF8.self)
    }
}

extension UnverifiedDPoPProof {
    /// `ath` of an access token: its SHA-256 in base64url (RFC 9449 §4.2).
    static func hash(of accessToken: String) -> String {
        Base64URL.encode(Array(SHA256.hash(data: Array(accessToken.utf8))))
    }
}
