internal import Crypto
internal import KeyturnBase
internal import KeyturnJose

/// Where a ``DPoPVerifier`` remembers the proofs that it accepted.
enum ProofMemory: Sendable {
    /// In this process.
    case own(DPoPReplayMemory)
    /// Together with other backends.
    case shared(any ReplayStore)

    /// - Parameter seconds: For how long after its first acceptance the proof could be accepted.
    /// - Throws: `transport.unavailable` if a shared store cannot be asked.
    func admit(
        _ proof: VerifiedDPoPProof, evidence: UnixTime, seconds: Int64, at now: UnixTime
    ) async throws(AuthError) -> ReplayAdmission {
        switch self {
        case .own(let memory):
            switch memory.admit(proof, evidence: evidence, at: now) {
            case .admitted: .admitted
            case .replayed: .replayed
            case .tooOld: .tooOld
            }
        case .shared(let store):
            try await store.admit(Self.name(proof), evidence: evidence, until: now + seconds, at: now)
        }
    }

    private static func name(_ proof: VerifiedDPoPProof) -> String {
        // A thumbprint has one length: two pairs never run together.
        Base64URL.encode(Array(SHA256.hash(data: Array(("dpop " + proof.keyThumbprint + proof.id).utf8))))
    }
}
