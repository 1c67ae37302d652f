public import KeyturnBase
public import KeyturnJose

/// Decides whether a request was made by the holder of a key, just now and only once (RFC 9449 §4.3, §7, §9).
///
/// Remembers the proofs that it accepted: keep one for the life of the process. Safe to share between tasks. Several
/// processes of one service know of each other only through a ``ReplayStore``.
public struct DPoPVerifier: Sendable {
    /// Whether clients must put a nonce of this service into their proofs (RFC 9449 §9).
    public enum Nonces: Sendable {
        /// When the time in a proof is not enough to judge by: the client's clock is slow, or this process has just
        /// started and does not know what was accepted before.
        case whenNeeded
        /// Always. The secret is at least 32 unpredictable bytes, and the same in all processes of the service.
        case required(secret: Secret)
    }

    /// A proof that was checked but for its being the first of its kind.
    struct Checked: Sendable {
        let proof: VerifiedDPoPProof
        let evidence: UnixTime
    }

    private let nonces: DPoPNonces
    private let areNoncesRequired: Bool
    private let window: DPoPProofWindow
    private let rememberSeconds: Int64
    private let memory: ProofMemory

    /// - Parameters:
    ///   - nonces: Whether clients must use nonces.
    ///   - window: How old a proof without a nonce may be. One with a nonce is judged by the nonce, and its own time
    ///     may be wrong by five minutes.
    ///   - ambient: The clock and the randomness to begin with. Nothing from before this moment is accepted.
    public init(nonces: Nonces = .whenNeeded, window: DPoPProofWindow = DPoPProofWindow(), ambient: Ambient) {
        switch nonces {
        case .whenNeeded:
            self.nonces = DPoPNonces(secret: ambient.randomBytes(32))
            areNoncesRequired = false
        case .required(let secret):
            self.nonces = DPoPNonces(secret: Array(secret.exposed().utf8))
            areNoncesRequired = true
        }
        self.window = window
        rememberSeconds = max(window.rememberSeconds, self.nonces.maxAgeSeconds)
        memory = .own(DPoPReplayMemory(at: ambient.now(), rememberSeconds: rememberSeconds))
    }

    /// One of several backends of a service, none of which accepts what another has accepted.
    ///
    /// - Parameters:
    ///   - replays: What all of them share.
    ///   - nonceSecret: At least 32 unpredictable bytes, the same in all of them: each takes the others' nonces.
    ///   - areNoncesRequired: Whether clients must always use nonces, and not only when the time in a proof is not enough.
    ///   - window: How old a proof without a nonce may be, see ``init(nonces:window:ambient:)``.
    public init(
        sharing replays: any ReplayStore, nonceSecret: Secret, areNoncesRequired: Bool = false,
        window: DPoPProofWindow = DPoPProofWindow()
    ) {
        nonces = DPoPNonces(secret: Array(nonceSecret.exposed().utf8))
        self.areNoncesRequired = areNoncesRequired
        self.window = window
        rememberSeconds = max(window.rememberSeconds, nonces.maxAgeSeconds)
        memory = .shared(replays)
    }

    /// Accepts the proof of a request, or says why not.
    ///
    /// This says nothing about the token. Verify that too, with the proof's key
    /// (``TokenVerifier/verify(_:proofKeyThumbprint:at:)``), or let ``TokenVerifier/verify(_:dpop:at:)`` do both.
    ///
    /// - Parameters:
    ///   - proofs: The value of every `DPoP` header. There must be exactly one.
    ///   - method: The request's method.
    ///   - url: The request's URL as the client knows it. The query does not matter.
    ///   - token: The access token that the request presents.
    ///   - now: The moment to judge by; pass `ambient.now()`.
    /// - Throws: `dpop.invalid_proof`; `dpop.use_nonce` if another attempt with a new nonce may succeed;
    ///   `transport.unavailable` if a shared store cannot be asked.
    ///   ``DPoPChallenge/init(answering:to:realm:resourceMetadata:)`` turns them into the right answer.
    public func verify(
        proofs: [String], method: String, url: String, token: UnverifiedToken, at now: UnixTime
    ) async throws(AuthError) -> VerifiedDPoPProof {
        let checked = try check(proofs: proofs, method: method, url: url, token: token, at: now)
        try await admit(checked, at: now)
        return checked.proof
    }

    /// A nonce for the `DPoP-Nonce` header of an answer (RFC 9449 §8.2): `nil` unless nonces are required and the
    /// client's is getting old.
    public func renewedNonce(after proof: VerifiedDPoPProof, at now: UnixTime) -> String? {
        guard areNoncesRequired else { return nil }
        if let issued = proof.nonce.flatMap({ nonces.time(of: $0, at: now) }), !nonces.isStale(issued, at: now) {
            return nil
        }
        return nonces.issue(at: now)
    }

    /// All but the memory, so that a proof takes up room there only when it comes with a good token.
    func check(
        proofs: [String], method: String, url: String, token: UnverifiedToken, at now: UnixTime
    ) throws(AuthError) -> Checked {
        guard let compact = proofs.first, proofs.count == 1 else {
            throw AuthError(.dpopInvalidProof, "\(proofs.count) DPoP headers instead of one")
        }
        let proof: VerifiedDPoPProof
        do throws(JoseProblem) {
            proof = try UnverifiedDPoPProof(compact).verify(method: method, url: url, accessToken: token.compact)
        } catch {
            throw AuthError(.dpopInvalidProof, "not a proof for this request", cause: error)
        }
        return Checked(proof: proof, evidence: try evidence(proof, at: now))
    }

    /// Sees to it that the proof is accepted once.
    func admit(_ checked: Checked, at now: UnixTime) async throws(AuthError) {
        switch try await memory.admit(
            checked.proof, evidence: checked.evidence, seconds: rememberSeconds, at: now)
        {
        case .admitted: return
        case .replayed: throw AuthError(.dpopInvalidProof, "the proof was used before")
        case .tooOld: throw nonceDemand("the proof is from a time that is forgotten", at: now)
        }
    }

    /// The earliest moment at which the proof can have been accepted (RFC 9449 §4.3 step 11, §11.1); for one proof
    /// always the same, or it could outlive what the memory knows of it.
    private func evidence(_ proof: VerifiedDPoPProof, at now: UnixTime) throws(AuthError) -> UnixTime {
        // A nonce that the next process does not know must not have made up for a clock that is ahead: there, the
        // proof would pass for a new one as soon as its time comes.
        let aheadSeconds = areNoncesRequired ? VerifyLimits.toleranceSeconds : window.futureSeconds
        let behindSeconds = max(VerifyLimits.toleranceSeconds, window.maxAgeSeconds)
        guard (-aheadSeconds...behindSeconds).contains(now.seconds(since: proof.issuedAt)) else {
            throw AuthError(.dpopInvalidProof, "iat is nowhere near the present")
        }
        if let issued = proof.nonce.flatMap(nonces.issueTime) {
            guard nonces.isGood(issued, at: now) else { throw nonceDemand("the nonce is old", at: now) }
            return issued
        }
        guard !areNoncesRequired else { throw nonceDemand("no nonce of ours", at: now) }
        guard window.contains(proof.issuedAt, at: now) else { throw nonceDemand("iat is too long ago", at: now) }
        return window.earliestAcceptance(of: proof.issuedAt)
    }

    private func nonceDemand(_ detail: String, at now: UnixTime) -> AuthError {
        AuthError(.dpopUseNonce, detail, cause: DPoPNonceDemand(nonce: nonces.issue(at: now)))
    }
}

/// The nonce that another attempt needs, on its way to a ``DPoPChallenge``.
struct DPoPNonceDemand: Error {
    let nonce: String
}

extension AuthError.Code {
    /// The request is not accompanied by one good DPoP proof (RFC 9449 §4.3).
    public static let dpopInvalidProof = Self(rawValue: "dpop.invalid_proof")
    /// The same request with a proof that holds the service's nonce may succeed (RFC 9449 §9).
    public static let dpopUseNonce = Self(rawValue: "dpop.use_nonce")
}
