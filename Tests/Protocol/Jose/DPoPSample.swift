import KeyturnBase
import KeyturnJose

/// A sender of proofs that signs whatever it is told, well-formed or not.
struct DPoPSample: Sendable {
    static let now = UnixTime(rawValue: 1_800_000_000)
    static let url = "https://api.example.com/notes"
    static let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"

    let key: SigningKey

    init(_ algorithm: SignatureAlgorithm = .es256) throws {
        key = try SigningKey.generate(algorithm)
    }

    var thumbprint: String { key.publicKey.thumbprint() }

    /// `kty` and what belongs to it.
    var jwk: JSONValue {
        var members = key.publicKey.json.objectValue ?? [:]
        for name in ["kid", "alg", "use"] { members[name] = nil }
        return .object(members)
    }

    /// A good header with changes; `nil` removes a member.
    func header(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        Self.apply(changes, to: ["typ": "dpop+jwt", "alg": .string(key.algorithm.rawValue), "jwk": jwk])
    }

    /// Good claims with changes; `nil` removes a claim.
    func claims(_ changes: [String: JSONValue?] = [:]) -> [String: JSONValue] {
        Self.apply(
            changes,
            to: [
                "jti": "p-1", "htm": "GET", "htu": .string(Self.url), "iat": .integer(Self.now.rawValue),
                "ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo",
            ])
    }

    func proof(_ claims: [String: JSONValue?] = [:], header: [String: JSONValue?] = [:]) throws -> String {
        try proof(
            header: JSONValue.object(self.header(header)).serialized,
            payload: JSONValue.object(self.claims(claims)).serialized)
    }

    func proof(header: [UInt8], payload: [UInt8]) throws -> String {
        let input = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
        return "\(input).\(Base64URL.encode(try key.signature(for: Array(input.utf8))))"
    }

    /// Verifies for the request that the good claims are for.
    static func verify(_ proof: String, expectedKey: String? = nil) throws(JoseProblem) -> VerifiedDPoPProof {
        try UnverifiedDPoPProof(proof).verify(method: "GET", url: url, accessToken: token, expectedKey: expectedKey)
    }

    static func rule(_ proof: String, expectedKey: String? = nil) -> JoseProblem.Rule? {
        do throws(JoseProblem) {
            _ = try verify(proof, expectedKey: expectedKey)
            return nil
        } catch {
            return error.rule
        }
    }

    private static func apply(
        _ changes: [String: JSONValue?], to members: [String: JSONValue]
    ) -> [String: JSONValue] {
        var members = members
        for (name, value) in changes { members[name] = value }
        return members
    }
}
