import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@Suite("Bound and unbound tokens at one resource, RFC 9449 §7")
struct DPoPResourceTests {
    static let issuer = TokenVerifierTests.issuer
    static let now = TestProver.now
    static let algorithms = "algs=\"ES256 ES384 ES512 EdDSA PS256\""
    let prover = TestProver()
    let dpop = DPoPVerifier(ambient: TestProver.ambient())

    /// What became of a request: the error's code and the answer to it; `nil` if it was accepted.
    private func outcome(
        _ authorization: String?, _ proofs: String..., url: String = TestProver.url
    ) async throws -> (code: AuthError.Code?, challenge: DPoPChallenge?) {
        let request = ResourceRequest(authorization: authorization, proofs: proofs, method: "GET", url: url)
        let verifier = try TokenVerifierTests.verifier()
        do throws(AuthError) {
            #expect(try await verifier.verify(request, dpop: dpop, at: Self.now).subject == "user-1")
            return (nil, nil)
        } catch {
            return (error.code, DPoPChallenge(answering: error, to: request))
        }
    }

    @Test(arguments: ["DPoP ", "dpop ", "DPOP "])
    func `a bound token with a proof of its key is accepted`(_ scheme: String) async throws {
        let token = prover.token(Self.issuer)
        #expect(try await outcome(scheme + token, prover.proof(token)).code == nil)
    }

    @Test func `an unbound token is accepted as Bearer, whatever else is sent`() async throws {
        let token = Self.issuer.token(TestIssuer.accessClaims())
        #expect(try await outcome("Bearer " + token).code == nil)
        #expect(try await outcome("Bearer " + token, "not a proof").code == nil)
    }

    @Test func `65: a bound token under Bearer is refused, with its proof or without`() async throws {
        let token = prover.token(Self.issuer)
        for answer in [try await outcome("Bearer " + token), try await outcome("Bearer " + token, prover.proof(token))]
        {
            #expect(answer.code == .tokenKind)
            #expect(answer.challenge?.status == 401)
            #expect(answer.challenge?.headers == ["Bearer error=\"invalid_token\"", "DPoP " + Self.algorithms])
        }
    }

    @Test func `65: an unbound token under DPoP is refused`() async throws {
        let token = Self.issuer.token(TestIssuer.accessClaims())
        let answer = try await outcome("DPoP " + token, prover.proof(token))
        #expect(answer.code == .tokenKind)
        #expect(answer.challenge?.headers == ["DPoP error=\"invalid_token\", " + Self.algorithms])
    }

    @Test func `65: a bound token without a proof is refused`() async throws {
        let answer = try await outcome("DPoP " + prover.token(Self.issuer))
        #expect(answer.code == .dpopInvalidProof)
        #expect(answer.challenge?.status == 401)
        #expect(answer.challenge?.headers == ["DPoP error=\"invalid_dpop_proof\", " + Self.algorithms])
        #expect(answer.challenge?.nonce == nil)
    }

    @Test func `65: a stolen token with a proof by the thief's key is refused`() async throws {
        let token = prover.token(Self.issuer)
        #expect(try await outcome("DPoP " + token, TestProver().proof(token)).code == .tokenKind)
    }

    @Test(arguments: [["x5t#S256": "abc"], ["jkt": 1], [:], "abc"] as [JSONValue])
    func `65: a token that is bound in another way is refused`(_ binding: JSONValue) async throws {
        let token = prover.token(Self.issuer, ["cnf": binding])
        #expect(try await outcome("DPoP " + token, prover.proof(token)).code == .tokenKind)
        #expect(try await outcome("Bearer " + token).code == .tokenKind)
    }

    @Test func `64: a proof is accepted once, also by many requests at the same time`() async throws {
        let token = prover.token(Self.issuer)
        let proof = prover.proof(token)
        let codes = try await withThrowingTaskGroup(of: AuthError.Code?.self) { group in
            for _ in 0..<100 { group.addTask { try await outcome("DPoP " + token, proof).code } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.count { $0 == .dpopInvalidProof } == 99)
    }

    @Test func `64: a proof that came with a bad token is not used up`() async throws {
        let token = prover.token(Self.issuer)
        let expired = prover.token(Self.issuer, ["exp": .integer(Self.now.rawValue - 100)])
        let answer = try await outcome("DPoP " + expired, prover.proof(expired))
        #expect(answer.code == .tokenExpired)
        #expect(answer.challenge?.headers == ["DPoP error=\"invalid_token\", " + Self.algorithms])
        #expect(try await outcome("DPoP " + token, prover.proof(token)).code == nil)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        var authorization: String?
        var url = TestProver.url
        let status: Int
        let headers: [String]
        var testDescription: String { name }
    }

    static let invalid = "error=\"invalid_request\""
    static let cases = [
        Case(name: "nothing", status: 401, headers: ["DPoP " + algorithms, "Bearer"]),
        Case(
            name: "another scheme", authorization: "Basic YTpi", status: 401,
            headers: ["DPoP " + algorithms, "Bearer"]),
        Case(name: "glued", authorization: "DPoPabc", status: 401, headers: ["DPoP " + algorithms, "Bearer"]),
        Case(name: "no token", authorization: "DPoP", status: 400, headers: ["DPoP \(invalid), " + algorithms]),
        Case(name: "two tokens", authorization: "DPoP a, b", status: 400, headers: ["DPoP \(invalid), " + algorithms]),
        Case(
            name: "two schemes", authorization: "DPoP a, Bearer b", status: 400,
            headers: ["DPoP \(invalid), " + algorithms]),
        Case(
            name: "113: line end", authorization: "DPoP a\r\n", status: 400,
            headers: ["DPoP \(invalid), " + algorithms]),
        Case(
            name: "66: in the query", authorization: "DPoP a", url: TestProver.url + "?x=1&access_token=b#c",
            status: 400, headers: ["DPoP \(invalid), " + algorithms]),
        Case(
            name: "66: in the query alone", url: TestProver.url + "?access_token=b", status: 400,
            headers: ["DPoP \(invalid), " + algorithms, "Bearer"]),
        Case(
            name: "no proof for a token that is none", authorization: "DPoP a", status: 401,
            headers: ["DPoP error=\"invalid_dpop_proof\", " + algorithms]),
    ]

    @Test(arguments: cases)
    func `a request without a proper token gets the right answer`(_ c: Case) async throws {
        let challenge = try #require(try await outcome(c.authorization, url: c.url).challenge)
        #expect(challenge.status == c.status)
        #expect(challenge.headers == c.headers)
        #expect(challenge.nonce == nil)
    }

    @Test func `a demand for a nonce brings it, and the realm stands first`() async throws {
        let dpop = DPoPVerifier(nonces: .required(secret: DPoPVerifierTests.secret), ambient: TestProver.ambient())
        let token = prover.token(Self.issuer)
        let request = ResourceRequest(
            authorization: "DPoP " + token, proofs: [prover.proof(token)], method: "GET", url: TestProver.url)
        let verifier = try TokenVerifierTests.verifier()
        let error = try await #require(throws: AuthError.self) {
            try await verifier.verify(request, dpop: dpop, at: Self.now)
        }
        let challenge = DPoPChallenge(answering: error, to: request, realm: "notes")
        #expect(challenge.status == 401)
        #expect(challenge.headers == ["DPoP realm=\"notes\", error=\"use_dpop_nonce\", " + Self.algorithms])
        let claims: [String: JSONValue?] = ["nonce": .string(try #require(challenge.nonce))]
        let again = ResourceRequest(
            authorization: "DPoP " + token, proofs: [prover.proof(token, claims: claims)], method: "GET",
            url: TestProver.url)
        #expect(try await verifier.verify(again, dpop: dpop, at: Self.now).subject == "user-1")
    }

    @Test func `71: a sign-in that is too old is answered in the scheme of the request`() async throws {
        let policy = BearerChallenge.insufficientUserAuthentication(FreshnessPolicy(maxAgeSeconds: 5))
        let error = AuthError(.tokenInsufficient, "", cause: policy)
        let words = "error=\"insufficient_user_authentication\", max_age=\"5\""
        let bound = ResourceRequest(authorization: "DPoP a", proofs: [], method: "GET", url: TestProver.url)
        #expect(DPoPChallenge(answering: error, to: bound).headers == ["DPoP \(words), " + Self.algorithms])
        let unbound = ResourceRequest(authorization: "Bearer a", proofs: [], method: "GET", url: TestProver.url)
        #expect(DPoPChallenge(answering: error, to: unbound).headers == ["Bearer \(words)", "DPoP " + Self.algorithms])
    }

    @Test func `what could not be decided is nobody's fault but ours`() {
        let request = ResourceRequest(authorization: "DPoP a", proofs: [], method: "GET", url: TestProver.url)
        let challenge = DPoPChallenge(answering: AuthError(.unavailable, "no keys"), to: request)
        #expect(challenge.status == 503)
        #expect(challenge.headers == [])
    }

    @Test(arguments: [AuthError.Code.dpopInvalidProof, .dpopUseNonce])
    func `63: who knows Bearer alone answers with 401 too`(_ code: AuthError.Code) {
        #expect(BearerChallenge(answering: AuthError(code, "")).status == 401)
    }

    @Test func `nothing that is printed shows the request`() {
        let request = ResourceRequest(
            authorization: "DPoP abc", proofs: ["def"], method: "GET", url: "https://a.test/g")
        #expect("\(request)" == "ResourceRequest" && String(reflecting: request) == "ResourceRequest")
        #expect(Mirror(reflecting: request).children.isEmpty)
    }
}
