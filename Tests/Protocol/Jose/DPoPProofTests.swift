import KeyturnBase
import KeyturnJose
import Testing

@Suite("DPoP proofs, RFC 9449 §4")
struct DPoPProofTests {
    static let head =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6IkVDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0Rs"
        + "cEJoRjQyVVFVZldWQVdCRnMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JEQSIsImNydiI6IlAtMjU2"
        + "In19."
    /// Section 4.1: a proof for the token endpoint.
    static let tokenRequest =
        head
        + "eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIjoiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwi"
        + "aWF0IjoxNTYyMjYyNjE2fQ."
        + "2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg"
    /// Section 7.1: a proof for a protected resource, with `ath`.
    static let resourceRequest =
        head
        + "eyJqdGkiOiJlMWozVl9iS2ljOC1MQUVCIiwiaHRtIjoiR0VUIiwiaHR1IjoiaHR0cHM6Ly9yZXNvdXJjZS5leGFtcGxlLm9yZy9wcm90ZWN0"
        + "ZWRyZXNvdXJjZSIsImlhdCI6MTU2MjI2MjYxOCwiYXRoIjoiZlVIeU8ycjJaM0RaNTNFc05yV0JiMHhXWG9hTnk1OUlpS0NBcWtz"
        + "bVFFbyJ9."
        + "2oW9RP35yRqzhrtNP86L-Ey71EOptxRimPPToA1plemAgR6pxHF8y6-yqyVnmcw6Fy1dqd-jfxSYoMxhAJpLjA"

    let sample: DPoPSample

    init() throws {
        sample = try DPoPSample()
    }

    @Test func `RFC 9449 4.1: the example for the token endpoint verifies`() throws {
        let proof = try UnverifiedDPoPProof(Self.tokenRequest).verify(
            method: "POST", url: "https://server.example.com/token")
        #expect(proof.keyThumbprint == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(proof.id == "-BwC3ESc6acc2lTc")
        #expect(proof.issuedAt == UnixTime(rawValue: 1_562_262_616))
        #expect(proof.nonce == nil)
    }

    @Test func `RFC 9449 7.1: the example with the hash of a token verifies`() throws {
        let proof = try UnverifiedDPoPProof(Self.resourceRequest).verify(
            method: "GET", url: "https://resource.example.org/protectedresource", accessToken: DPoPSample.token,
            expectedKey: "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        #expect(proof.id == "e1j3V_bKic8-LAEB")
    }

    @Test(arguments: UnverifiedDPoPProof.algorithms)
    func `every algorithm that is offered is accepted`(_ algorithm: SignatureAlgorithm) throws {
        let sample = try DPoPSample(algorithm)
        let proof = try DPoPSample.verify(sample.proof(), expectedKey: sample.thumbprint)
        #expect(proof.keyThumbprint == sample.thumbprint)
    }

    @Test func `a draft that is signed elsewhere is a proof`() throws {
        let draft = try DPoPProofDraft(
            publicKey: sample.key.publicKey, method: "GET", url: DPoPSample.url + "?page=2#end",
            accessToken: DPoPSample.token, nonce: "n-1", id: "p-2", issuedAt: DPoPSample.now)
        let text = draft.proof(signature: try sample.key.signature(for: draft.signingInput))
        let proof = try DPoPSample.verify(text, expectedKey: sample.thumbprint)
        #expect(proof.id == "p-2")
        #expect(proof.nonce == "n-1")
        #expect(proof.issuedAt == DPoPSample.now)
        let parts = text.split(separator: ".").compactMap { Base64URL.decode($0) }
        #expect(try JSONValue(parsing: parts[0]) == ["typ": "dpop+jwt", "alg": "ES256", "jwk": sample.jwk])
        #expect(try JSONValue(parsing: parts[1])["htu"] == .string(DPoPSample.url))
    }

    @Test func `a draft without token and nonce says nothing of them`() throws {
        let draft = try DPoPProofDraft(
            publicKey: sample.key.publicKey, method: "POST", url: DPoPSample.url, id: "p-3", issuedAt: DPoPSample.now)
        let payload = String(decoding: draft.signingInput, as: UTF8.self).split(separator: ".")[1]
        let claims = try JSONValue(parsing: try #require(Base64URL.decode(payload)))
        #expect(Set(claims.objectValue?.keys.map(\.self) ?? []) == ["jti", "htm", "htu", "iat"])
    }

    @Test func `a draft is for P-256 alone`() throws {
        let other = try SigningKey.generate(.es384).publicKey
        #expect(throws: JoseProblem.self) {
            try DPoPProofDraft(
                publicKey: other, method: "GET", url: "https://a.test/", id: "x", issuedAt: DPoPSample.now)
        }
    }

    @Test func `63: unknown members are accepted, nbf and exp too`() throws {
        let long = String(repeating: "x", count: 200)
        let proof = try sample.proof(
            ["nbf": 1, "exp": 2, "ext": ["a": [1, 2]], "note": .string(long)],
            header: ["kid": "k", "x-y": true, "jku": "https://evil.test/"])
        #expect(DPoPSample.rule(proof) == nil)
        var jwk = sample.jwk.objectValue ?? [:]
        jwk["key_ops"] = ["verify"]
        jwk["ext"] = true
        #expect(DPoPSample.rule(try sample.proof(header: ["jwk": .object(jwk)])) == nil)
    }

    @Test func `63: fractions of a second are dropped`() throws {
        let proof = try DPoPSample.verify(sample.proof(["iat": .number(1_800_000_000.75)]))
        #expect(proof.issuedAt == DPoPSample.now)
    }

    @Test func `63: a proof for the token endpoint is none for a resource`() throws {
        let proof = try UnverifiedDPoPProof(sample.proof(["ath": nil]))
        #expect(throws: Never.self) { try proof.verify(method: "GET", url: DPoPSample.url) }
        #expect(throws: JoseProblem.self) {
            try proof.verify(method: "GET", url: DPoPSample.url, accessToken: DPoPSample.token)
        }
    }

    @Test func `63: a proof by another key than expected is refused`() throws {
        let other = try DPoPSample().thumbprint
        #expect(DPoPSample.rule(try sample.proof(), expectedKey: other) == .mismatch)
        #expect(DPoPSample.rule(try sample.proof(), expectedKey: "") == .mismatch)
        #expect(DPoPSample.rule(try sample.proof(), expectedKey: sample.thumbprint) == nil)
    }

    @Test func `63: every other spelling of a proof is refused`() throws {
        let proof = try sample.proof()
        for index in proof.indices {
            let replacement = proof[index] == "A" ? "B" : "A"
            let changed = proof[..<index] + replacement + proof[proof.index(after: index)...]
            #expect(DPoPSample.rule(String(changed)) != nil)
        }
    }
}
