import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import OAuth
import Testing

@Suite("Servers of one database: each DPoP proof once")
struct SharedProofTests {
    private static let url = "https://id.example.com/oauth2/token"

    /// Two servers: the first and the last node of the database, with the same secret.
    private func checkers(_ bench: Bench, secret: UInt8 = 1) throws -> [DPoPChecker] {
        let secrets = try #require(ServerSecrets([[UInt8](repeating: secret, count: 32)]))
        let ambient = Ambient(clock: { bench.now }, entropy: Ambient.live.randomBytes)
        return [bench.database.nodes[0], bench.database.nodes[bench.database.nodes.count - 1]].map {
            DPoPChecker(secrets: secrets, shared: $0.stores.spent, ambient: ambient)
        }
    }

    private func proof(_ id: String, _ key: SigningKey, at now: UnixTime, nonce: String? = nil) throws -> String {
        let draft = try DPoPProofDraft(
            publicKey: key.publicKey, method: "POST", url: Self.url, nonce: nonce, id: id, issuedAt: now)
        return draft.proof(signature: try key.signature(for: draft.signingInput))
    }

    private func admits(_ checker: DPoPChecker, _ proof: String) async throws -> Bool {
        do throws(OAuthProblem) {
            let presentation = DPoPPresentation(proofs: [proof], method: "POST", url: Self.url)
            try await checker.admit(checker.proof(presentation))
            return true
        } catch {
            guard error.code == .invalidDPoPProof else { throw error }
            return false
        }
    }

    @Test(arguments: Engines.withValues)
    func `attack 64: of a proof that is sent to two servers at once, again and again, one use counts`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let servers = try checkers(bench)
        let key = try SigningKey.generate(.es256)
        for nonce in [nil, servers[1].nonce()] {
            let proof = try proof("p-\(nonce ?? "")", key, at: bench.now, nonce: nonce)
            let admitted = try await bench.race(40) { _, number in try await admits(servers[number % 2], proof) }
            #expect(admitted.count { $0 } == 1)
            // Also not by a server that was started since then, which would know nothing by itself.
            #expect(try await !admits(checkers(bench)[0], proof))
        }
        let other = try SigningKey.generate(.es256)
        #expect(try await admits(servers[0], proof("p-", other, at: bench.now)), "another key's proofs are its own")
    }
}
