import KeyturnBase
import KeyturnJose
import KeyturnVerify
import Testing

@Suite("Backends that share what they accepted, RFC 9449 §11.1")
struct SharedReplayTests {
    private static let now = TestProver.now
    private let prover = TestProver()

    /// A store in memory, and its faults.
    private actor Store: ReplayStore {
        enum Fault { case none, unreachable, looksFirst, forgetsCase, forgetsAtOnce, admitsTheOld }

        private var known: [String: UnixTime] = [:]
        private let began: UnixTime
        private let fault: Fault

        init(began: UnixTime = SharedReplayTests.now - 1_000, _ fault: Fault = .none) {
            self.began = began
            self.fault = fault
        }

        func admit(
            _ name: String, evidence: UnixTime, until: UnixTime, at now: UnixTime
        ) async throws(AuthError) -> ReplayAdmission {
            guard fault != .unreachable else { throw AuthError(.unavailable, "down") }
            guard evidence >= began || fault == .admitsTheOld else { return .tooOld }
            let name = fault == .forgetsCase ? name.lowercased() : name
            if let end = known[name], now < end { return .replayed }
            // Others come in between.
            if fault == .looksFirst { await Task.yield() }
            known[name] = fault == .forgetsAtOnce ? now + 30 : until
            return .admitted
        }
    }

    private func verifier(_ store: any ReplayStore) -> DPoPVerifier {
        DPoPVerifier(sharing: store, nonceSecret: DPoPVerifierTests.secret)
    }

    @Test func `64: what one backend accepted, no other one accepts`() async {
        let store = Store()
        let backends = (0..<4).map { _ in verifier(store) }
        let proof = prover.proof(DPoPVerifierTests.token)
        let codes = await withTaskGroup(of: AuthError.Code?.self) { group in
            for number in 0..<40 {
                group.addTask { await DPoPVerifierTests.code(backends[number % 4], proof) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .dpopInvalidProof } == 39)
        for offset in Int64(0)...400 {
            #expect(await DPoPVerifierTests.code(backends[1], proof, at: Self.now + offset) != nil)
        }
    }

    @Test func `63: each backend takes the others' nonces`() async throws {
        let store = Store(began: Self.now + 5)
        let nonce = try await DPoPVerifierTests.nonce(
            verifier(store), prover.proof(DPoPVerifierTests.token), at: Self.now + 5)
        let proof = prover.proof(DPoPVerifierTests.token, id: "2", claims: ["nonce": .string(nonce)])
        #expect(await DPoPVerifierTests.code(verifier(store), proof, at: Self.now + 6) == nil)
        #expect(await DPoPVerifierTests.code(verifier(store), proof, at: Self.now + 6) == .dpopInvalidProof)
    }

    @Test func `64: nothing is accepted while the store cannot be asked`() async throws {
        let error = await #expect(throws: AuthError.self) {
            try await DPoPVerifierTests.verify(
                verifier(Store(.unreachable)), prover.proof(DPoPVerifierTests.token))
        }
        let request = ResourceRequest(authorization: "DPoP x", proofs: [], method: "GET", url: TestProver.url)
        #expect(error?.code == .unavailable)
        #expect(DPoPChallenge(answering: try #require(error), to: request).status == 503)
    }

    @Test func `the conformance check finds nothing in a good store, and each fault in a bad one`() async throws {
        let good = Store()
        #expect(try await ReplayStoreConformance.violations(of: [good, good], at: Self.now) == [])
        for fault in [Store.Fault.looksFirst, .forgetsCase, .forgetsAtOnce, .admitsTheOld] {
            let bad = Store(fault)
            #expect(try await ReplayStoreConformance.violations(of: [bad], at: Self.now).count == 1, "\(fault)")
        }
        let (one, other) = (Store(), Store())
        #expect(try await !ReplayStoreConformance.violations(of: [one, other], at: Self.now).isEmpty)
    }
}
