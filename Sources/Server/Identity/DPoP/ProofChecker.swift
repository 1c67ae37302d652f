internal import Crypto
public import KeyturnBase
internal import KeyturnJose
public import KeyturnWire

/// A request as far as a proof speaks of it: its `DPoP` header fields, its method and its URL (RFC 9449 §4.3).
public struct ProofPresentation: Hashable, Sendable {
    /// Every value of the header.
    public let proofs: [String]
    public let method: String
    /// As clients know it: the endpoint's published address.
    public let url: String

    public init(proofs: [String], method: String, url: String) {
        self.proofs = proofs
        self.method = method
        self.url = url
    }
}

/// Judges DPoP proofs: made by its key, for this request, recently, and for the first time (RFC 9449 §4.3).
///
/// A nonce is not demanded, but one that is there must be ours. What a proof's time is judged by is its nonce where it
/// has one, and `iat` where it has not; `iat` must be plausible in any case.
public final class ProofChecker: Sendable {
    private let window = DPoPProofWindow()
    private let nonceWindow: DPoPProofWindow
    private let nonces: [DPoPNonces]
    private let memory: DPoPReplayMemory
    private let ambient: Ambient
    private let start: Moment

    init(secrets: ServerSecrets, ambient: Ambient) {
        self.ambient = ambient
        start = ambient.moment()
        nonces = secrets.keys(for: .proofNonce).map { key in
            DPoPNonces(secret: unsafe key.key.withUnsafeBytes { unsafe Array($0) })
        }
        nonceWindow = DPoPProofWindow(maxAgeSeconds: DPoPLimits.nonceSeconds)
        memory = DPoPReplayMemory(at: start.wall)
    }

    /// A nonce for the next proof.
    public func nonce() -> String {
        nonces[0].issue(at: steadyNow)
    }

    /// The proof that a request brings; `nil` if it brings none.
    ///
    /// - Parameter accessToken: the token that it presents, which the proof must then name.
    /// - Throws: `invalid_dpop_proof`; `use_dpop_nonce` if its nonce is not one of ours, or no longer.
    public func proof(
        _ presentation: ProofPresentation, accessToken: Secret? = nil
    ) throws(OAuthProblem) -> CheckedProof? {
        guard let compact = presentation.proofs.first else { return nil }
        guard presentation.proofs.count == 1 else {
            throw OAuthProblem(.invalidDPoPProof, "the DPoP header is sent twice")
        }
        let verified: VerifiedDPoPProof
        do {
            verified = try UnverifiedDPoPProof(compact).verify(
                method: presentation.method, url: presentation.url, accessToken: accessToken?.exposed())
        } catch {
            throw OAuthProblem(.invalidDPoPProof, "the DPoP proof is not good: \(error.detail)")
        }
        return CheckedProof(proof: verified, evidence: try evidence(verified))
    }

    /// Accepts a proof, once.
    ///
    /// - Throws: `invalid_dpop_proof` if it was seen before; `use_dpop_nonce` if it is from a time that nobody
    ///   remembers, such as before the server's start.
    public func admit(_ proof: CheckedProof?) throws(OAuthProblem) {
        guard let proof else { return }
        switch memory.admit(proof.proof, evidence: proof.evidence, at: steadyNow) {
        case .admitted: return
        case .replayed: throw OAuthProblem(.invalidDPoPProof, "the DPoP proof was used before")
        case .tooOld: throw OAuthProblem(.useDPoPNonce, "make a new DPoP proof with this nonce")
        }
    }

    /// Whether an answer should bring a nonce: the proof had none, or one that will not do for long.
    public func wantsNonce(_ proof: CheckedProof) -> Bool {
        guard proof.proof.nonce != nil else { return true }
        return nonces[0].isStale(proof.evidence, at: steadyNow)
    }

    /// The time by a clock that nobody sets: what nonces are dated by, and what is remembered. Were it the wall clock,
    /// setting that back would make every proof look older than what is remembered, until the old time returns.
    private var steadyNow: UnixTime { start.wall + (ambient.uptime() - start.uptime) }

    /// The earliest moment at which the proof can have been accepted.
    private func evidence(_ proof: VerifiedDPoPProof) throws(OAuthProblem) -> UnixTime {
        let now = ambient.now()
        let window = proof.nonce == nil ? window : nonceWindow
        guard window.contains(proof.issuedAt, at: now) else {
            throw OAuthProblem(.invalidDPoPProof, "iat of the DPoP proof is not now: is the clock right?")
        }
        guard let nonce = proof.nonce else {
            return steadyNow - now.seconds(since: window.earliestAcceptance(of: proof.issuedAt))
        }
        guard let issued = nonces.lazy.compactMap({ $0.time(of: nonce, at: self.steadyNow) }).first else {
            throw OAuthProblem(.useDPoPNonce, "make a new DPoP proof with this nonce")
        }
        return issued
    }
}

/// A proof that is good but for one thing: whether it was seen before. ``ProofChecker/admit(_:)`` tells.
public struct CheckedProof: Hashable, Sendable {
    let proof: VerifiedDPoPProof
    let evidence: UnixTime

    /// The RFC 7638 thumbprint of its key, in base64url.
    public var keyThumbprint: String { proof.keyThumbprint }
}
