import Crypto
import KeyturnBase

/// A client with one P-256 key that makes DPoP proofs, well-formed or not. Shares no code with what it tests.
struct TestProver: Sendable {
    static let now = TestIssuer.now
    static let url = "https://api.example.com/notes"

    private let key = P256.Signing.PrivateKey()

    private var coordinates: (x: String, y: String) {
        let point = Array(key.publicKey.rawRepresentation)
        return (Base64URL.encode(point[..<32]), Base64URL.encode(point[32...]))
    }

    var jwk: JSONValue { ["kty": "EC", "crv": "P-256", "x": .string(coordinates.x), "y": .string(coordinates.y)] }

    /// RFC 7638.
    var thumbprint: String {
        let text = "{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(coordinates.x)\",\"y\":\"\(coordinates.y)\"}"
        return Base64URL.encode(Array(SHA256.hash(data: Array(text.utf8))))
    }

    /// A proof for a GET of ``url`` at ``now`` with `token`; `nil` removes a member.
    func proof(
        _ token: String, id: String = "p-1", claims: [String: JSONValue?] = [:], header: [String: JSONValue?] = [:]
    ) -> String {
        let header = Self.apply(header, to: ["typ": "dpop+jwt", "alg": "ES256", "jwk": jwk])
        let claims = Self.apply(
            claims,
            to: [
                "jti": .string(id), "htm": "GET", "htu": .string(Self.url), "iat": .integer(Self.now.rawValue),
                "ath": .string(Base64URL.encode(Array(SHA256.hash(data: Array(token.utf8))))),
            ])
        let signed = Base64URL.encode(header.serialized) + "." + Base64URL.encode(claims.serialized)
        guard let signature = try? key.signature(for: Array(signed.utf8)) else { return signed }
        return signed + "." + Base64URL.encode(Array(signature.rawRepresentation))
    }

    /// A good access token that is bound to the key.
    func token(_ issuer: TestIssuer, _ changes: [String: JSONValue?] = [:]) -> String {
        let binding: [String: JSONValue?] = ["cnf": ["jkt": .string(thumbprint)]]
        return issuer.token(TestIssuer.accessClaims(binding.merging(changes) { _, new in new }))
    }

    /// A process that starts at a moment; its random bytes are all `seed`.
    static func ambient(_ start: UnixTime = now - 100, seed: UInt8 = 1) -> Ambient {
        Ambient(clock: { start }, entropy: { [UInt8](repeating: seed, count: $0) })
    }

    private static func apply(_ changes: [String: JSONValue?], to members: [String: JSONValue]) -> JSONValue {
        var members = members
        for (name, value) in changes { members[name] = value }
        return .object(members)
    }
}
