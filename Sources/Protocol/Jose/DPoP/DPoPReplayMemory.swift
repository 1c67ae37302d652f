internal import Crypto
public import KeyturnBase

/// Remembers proofs, so that each is accepted once (RFC 9449 §11.1).
///
/// Every proof that was ever admitted is either remembered or too old: what is forgotten takes everything from its
/// time with it. That holds whatever the clock does, when there is no more room, and across a restart, which forgets
/// all: nothing from before it is admitted.
///
/// What is kept are digests in two generations, the older of which is dropped as a whole. Shared by all tasks of one
/// process; other processes have their own.
public final class DPoPReplayMemory: Sendable {
    /// What became of a proof.
    public enum Admission: Hashable, Sendable {
        /// Seen for the first time, and from now on known.
        case admitted
        /// Known.
        case replayed
        /// From a time that is forgotten. The sender may try again with a new nonce.
        case tooOld
    }

    /// Half of a SHA-256: enough to tell 2⁶⁰ proofs apart, at half the room.
    private struct Digest: Hashable, Sendable {
        let high: UInt64
        let low: UInt64
    }

    private struct Generation: Sendable {
        let since: UnixTime
        var digests: Set<Digest> = []
        var newestEvidence = UnixTime(rawValue: .min)
    }

    private struct State: Sendable {
        var notBefore: UnixTime
        var current: Generation
        var previous: Generation
    }

    private let rememberSeconds: Int64
    private let generationMax: Int
    private let state: Locked<State>

    /// An empty memory, which admits nothing from before `now`.
    ///
    /// - Parameters:
    ///   - now: The moment of its creation.
    ///   - rememberSeconds: How long a proof can be accepted after its first acceptance:
    ///     ``DPoPProofWindow/rememberSeconds``, or the lifetime of nonces if that is longer. It is remembered for that
    ///     time at least, and for about twice that at most.
    ///   - generationMax: How many proofs one of the two generations holds. If that is not enough for
    ///     `rememberSeconds`, proofs become too old sooner.
    public init(
        at now: UnixTime, rememberSeconds: Int64 = DPoPLimits.nonceSeconds,
        generationMax: Int = DPoPLimits.rememberedProofs
    ) {
        precondition(rememberSeconds > 0 && generationMax > 0, "a memory needs time and room")
        self.rememberSeconds = rememberSeconds
        self.generationMax = generationMax
        state = Locked(State(notBefore: now, current: Generation(since: now), previous: Generation(since: now)))
    }

    /// Admits a proof that was not seen before. Of any number of calls with one proof, in any order and at the same
    /// time, one at most says `admitted`.
    ///
    /// - Parameters:
    ///   - proof: What was verified; known again by its key and `jti`.
    ///   - evidence: The earliest moment at which the proof can have been accepted: the time in its nonce, or
    ///     ``DPoPProofWindow/earliestAcceptance(of:)`` if it has none; the same for one proof every time. The caller
    ///     has judged that it is recent and not in the future.
    ///   - now: The time by the wall clock, which may jump.
    public func admit(_ proof: VerifiedDPoPProof, evidence: UnixTime, at now: UnixTime) -> Admission {
        let digest = Self.digest(proof)
        return state.withLock { state in
            if now >= state.current.since + rememberSeconds { Self.turn(&state, at: now) }
            guard evidence >= state.notBefore else { return .tooOld }
            guard !state.current.digests.contains(digest), !state.previous.digests.contains(digest) else {
                return .replayed
            }
            if state.current.digests.count >= generationMax {
                Self.turn(&state, at: now)
                guard evidence >= state.notBefore else { return .tooOld }
            }
            state.current.digests.insert(digest)
            state.current.newestEvidence = max(state.current.newestEvidence, evidence)
            return .admitted
        }
    }

    /// The moment before which nothing is admitted.
    public var notBefore: UnixTime { state.withLock { $0.notBefore } }

    /// How many proofs are remembered.
    public var count: Int { state.withLock { $0.current.digests.count + $0.previous.digests.count } }

    /// Drops the older generation, and with it whatever is not newer than all that it held.
    private static func turn(_ state: inout State, at now: UnixTime) {
        if !state.previous.digests.isEmpty {
            state.notBefore = max(state.notBefore, state.previous.newestEvidence + 1)
        }
        state.previous = state.current
        state.current = Generation(since: now)
    }

    private static func digest(_ proof: VerifiedDPoPProof) -> Digest {
        // A thumbprint has one length: two pairs never run together.
        let hash = Array(SHA256.hash(data: Array((proof.keyThumbprint + proof.id).utf8)))
        let word = { (bytes: ArraySlice<UInt8>) in bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } }
        return Digest(high: word(hash[..<8]), low: word(hash[8..<16]))
    }
}
