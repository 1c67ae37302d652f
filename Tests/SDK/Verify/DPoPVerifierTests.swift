import KeyturnBase
import KeyturnJose
import KeyturnVerify
import Testing

@Suite("DPoP at a resource, RFC 9449 §4.3 and §9")
struct DPoPVerifierTests {
    static let now = TestProver.now
    static let token = "opaque.token"
    static let secret = Secret(String(repeating: "s", count: 32))
    let prover = TestProver()

    static func verify(
        _ verifier: DPoPVerifier, _ proofs: String..., method: String = "GET", url: String = TestProver.url,
        at now: UnixTime = now
    ) async throws(AuthError) -> VerifiedDPoPProof {
        try await verifier.verify(proofs: proofs, method: method, url: url, token: UnverifiedToken(token), at: now)
    }

    static func code(_ verifier: DPoPVerifier, _ proof: String, at now: UnixTime = now) async -> AuthError.Code? {
        do throws(AuthError) {
            _ = try await verify(verifier, proof, at: now)
            return nil
        } catch {
            return error.code
        }
    }

    /// The nonce that a refusal hands out.
    static func nonce(_ verifier: DPoPVerifier, _ proof: String, at now: UnixTime = now) async throws -> String {
        let error = try await #require(throws: AuthError.self) { try await verify(verifier, proof, at: now) }
        #expect(error.code == .dpopUseNonce)
        let request = ResourceRequest(authorization: "DPoP x", proofs: [proof], method: "GET", url: TestProver.url)
        return try #require(DPoPChallenge(answering: error, to: request).nonce)
    }

    @Test func `a good proof tells its key`() async throws {
        let verifier = DPoPVerifier(ambient: TestProver.ambient())
        let proof = try await Self.verify(verifier, prover.proof(Self.token), url: TestProver.url + "?page=2")
        #expect(proof.keyThumbprint == prover.thumbprint)
    }

    @Test func `63: no header, two headers, and two proofs in one are refused`() async {
        let verifier = DPoPVerifier(ambient: TestProver.ambient())
        let (one, two) = (prover.proof(Self.token, id: "1"), prover.proof(Self.token, id: "2"))
        let token = UnverifiedToken(Self.token)
        for proofs in [[], [one, two], [one, one], [one + "," + two], [""], ["x"]] {
            await #expect(throws: AuthError(.dpopInvalidProof, "")) {
                try await verifier.verify(
                    proofs: proofs, method: "GET", url: TestProver.url, token: token, at: Self.now)
            }
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var claims: [String: JSONValue?] = [:]
        var header: [String: JSONValue?] = [:]
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "63: typ", header: ["typ": "JWT"]), Case(name: "63: no typ", header: ["typ": nil]),
        Case(name: "63: none", header: ["alg": "none"]), Case(name: "63: RS256", header: ["alg": "RS256"]),
        Case(name: "63: no alg", header: ["alg": nil]), Case(name: "63: no key", header: ["jwk": nil]),
        Case(name: "63: another key", header: ["jwk": TestProver().jwk]),
        Case(name: "63: no jti", claims: ["jti": nil]), Case(name: "63: no htm", claims: ["htm": nil]),
        Case(name: "63: no htu", claims: ["htu": nil]), Case(name: "63: no iat", claims: ["iat": nil]),
        Case(name: "63: no ath", claims: ["ath": nil]), Case(name: "63: another method", claims: ["htm": "POST"]),
        Case(name: "63: another URL", claims: ["htu": "https://api.example.com/other"]),
        Case(name: "63: another token", claims: ["ath": "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"]),
        Case(name: "63: an hour ago", claims: ["iat": .integer(now.rawValue - 3_600)]),
        Case(name: "63: in an hour", claims: ["iat": .integer(now.rawValue + 3_600)]),
        Case(name: "63: iat at the end of time", claims: ["iat": .integer(1 << 53)]),
    ]

    @Test(arguments: cases)
    func `a proof that is not right is refused`(_ c: Case) async {
        for nonces in [DPoPVerifier.Nonces.whenNeeded, .required(secret: Self.secret)] {
            let verifier = DPoPVerifier(nonces: nonces, ambient: TestProver.ambient(Self.now - 10_000))
            let proof = prover.proof(Self.token, claims: c.claims, header: c.header)
            #expect(await Self.code(verifier, proof) == .dpopInvalidProof)
        }
    }

    @Test(
        arguments: [(-60, nil), (-61, .dpopUseNonce), (10, nil), (11, .dpopInvalidProof)] as [(Int64, AuthError.Code?)])
    func `63: without a nonce a proof is good from a minute ago to ten seconds ahead`(
        _ offset: Int64, _ code: AuthError.Code?
    ) async {
        let verifier = DPoPVerifier(ambient: TestProver.ambient())
        let proof = prover.proof(Self.token, claims: ["iat": .integer(Self.now.rawValue + offset)])
        #expect(await Self.code(verifier, proof) == code)
    }

    @Test func `64: a proof that was used is refused, and another is not`() async throws {
        let verifier = DPoPVerifier(ambient: TestProver.ambient())
        let proof = prover.proof(Self.token)
        #expect(await Self.code(verifier, proof) == nil)
        for offset in Int64(0)...400 {
            #expect(await Self.code(verifier, proof, at: Self.now + offset) != nil)
        }
        #expect(await Self.code(verifier, prover.proof(Self.token, id: "p-2")) == nil)
    }

    @Test func `64: of a hundred uses at the same time one succeeds`() async {
        let verifier = DPoPVerifier(ambient: TestProver.ambient())
        let proof = prover.proof(Self.token)
        let codes = await withTaskGroup(of: AuthError.Code?.self) { group in
            for _ in 0..<100 { group.addTask { await Self.code(verifier, proof) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.count { $0 == .dpopInvalidProof } == 99)
    }

    @Test func `64: after a restart a nonce is asked for once`() async throws {
        let restarted = DPoPVerifier(ambient: TestProver.ambient(Self.now))
        let nonce = try await Self.nonce(restarted, prover.proof(Self.token))
        let again = prover.proof(Self.token, id: "p-2", claims: ["nonce": .string(nonce)])
        #expect(await Self.code(restarted, again) == nil)
        #expect(await Self.code(restarted, again) == .dpopInvalidProof)
    }

    @Test func `64: what one process accepted by its nonce, the next does not accept by its time`() async throws {
        for skew in [Int64(-300), -61, -60, -59, -11, -10, -1, 0, 1, 9, 10, 11, 60, 200, 300] {
            let first = DPoPVerifier(ambient: TestProver.ambient(seed: 1))
            let nonce = try await Self.nonce(
                first, prover.proof(Self.token, claims: ["iat": .integer(Self.now.rawValue - 61)]))
            let claims: [String: JSONValue?] = ["iat": .integer(Self.now.rawValue + skew), "nonce": .string(nonce)]
            let proof = prover.proof(Self.token, id: "p-2", claims: claims)
            guard await Self.code(first, proof) == nil else { continue }
            let second = DPoPVerifier(ambient: TestProver.ambient(Self.now + 1, seed: 2))
            for later in Int64(1)...400 {
                #expect(await Self.code(second, proof, at: Self.now + later) != nil)
            }
        }
    }

    @Test func `63: with required nonces one more attempt is enough, and a slow or fast clock does not matter`()
        async throws
    {
        for (index, skew) in [Int64(-300), -61, 0, 11, 300].enumerated() {
            let verifier = DPoPVerifier(nonces: .required(secret: Self.secret), ambient: TestProver.ambient())
            let iat: [String: JSONValue?] = ["iat": .integer(Self.now.rawValue + skew)]
            let nonce = try await Self.nonce(verifier, prover.proof(Self.token, claims: iat))
            let claims = iat.merging(["nonce": .string(nonce)]) { $1 }
            let proof = prover.proof(Self.token, id: "again-\(index)", claims: claims)
            #expect(await Self.code(verifier, proof) == nil)
            #expect(await Self.code(verifier, proof) == .dpopInvalidProof)
        }
    }

    @Test(arguments: ["", "abc", String(repeating: "A", count: 32)])
    func `63: a nonce that is not ours is asked for again`(_ nonce: String) async throws {
        let verifier = DPoPVerifier(nonces: .required(secret: Self.secret), ambient: TestProver.ambient())
        #expect(await Self.code(verifier, prover.proof(Self.token, claims: ["nonce": .string(nonce)])) == .dpopUseNonce)
    }

    @Test func `63: a nonce serves for five minutes, and is renewed before they are over`() async throws {
        let verifier = DPoPVerifier(nonces: .required(secret: Self.secret), ambient: TestProver.ambient())
        let nonce = try await Self.nonce(verifier, prover.proof(Self.token))
        func use(_ offset: Int64) async throws(AuthError) -> VerifiedDPoPProof {
            let claims: [String: JSONValue?] = [
                "nonce": .string(nonce), "iat": .integer(Self.now.rawValue + offset),
            ]
            return try await Self.verify(
                verifier, prover.proof(Self.token, id: "\(offset)", claims: claims), at: Self.now + offset)
        }
        #expect(try await verifier.renewedNonce(after: use(150), at: Self.now + 150) == nil)
        #expect(try await verifier.renewedNonce(after: use(151), at: Self.now + 151) != nil)
        await #expect(throws: Never.self) { try await use(300) }
        await #expect(throws: AuthError(.dpopUseNonce, "")) { try await use(301) }
        let other = DPoPVerifier(ambient: TestProver.ambient())
        #expect(try await other.renewedNonce(after: Self.verify(other, prover.proof(Self.token)), at: Self.now) == nil)
    }

    @Test func `processes that share a secret know each other's nonces`() async throws {
        let first = DPoPVerifier(nonces: .required(secret: Self.secret), ambient: TestProver.ambient(seed: 1))
        let second = DPoPVerifier(nonces: .required(secret: Self.secret), ambient: TestProver.ambient(seed: 2))
        let nonce = try await Self.nonce(first, prover.proof(Self.token))
        #expect(await Self.code(second, prover.proof(Self.token, claims: ["nonce": .string(nonce)])) == nil)
    }
}
