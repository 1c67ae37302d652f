internal import Crypto
public import KeyturnBase
internal import KeyturnJose
public import KeyturnWire
public import Model

/// What a DPoP proof must match: the request's `DPoP` header fields, its method and its URL (RFC 9449 §4.3).
public struct DPoPPresentation: Hashable, Sendable {
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
/// A nonce is not demanded, but one that is there must be ours. A proof's time is that of its nonce if it has one, and
/// `iat` otherwise; `iat` must be plausible in any case.
///
/// A server that has its database alone remembers proofs in memory. After a start it asks for a nonce, which shows that
/// a proof is new; clients that cannot answer `use_dpop_nonce` are never asked, so their proofs of the last minutes may
/// be used once more. Servers that share a database remember proofs there.
public final class DPoPChecker: Sendable {
    private let window = DPoPProofWindow()
    private let nonceWindow: DPoPProofWindow
    private let nonces: [DPoPNonces]
    private let memory: DPoPReplayMemory
    private let patientWindow: DPoPProofWindow
    private let patientMemory: DPoPReplayMemory
    private let ambient: Ambient
    private let start: Moment
    private let shared: (any ReplayStore)?

    /// - Parameter shared: where proofs are remembered if other servers may get them too.
    package init(secrets: ServerSecrets, shared: (any ReplayStore)?, ambient: Ambient) {
        self.ambient = ambient
        self.shared = shared
        start = ambient.moment()
        nonces = secrets.keys(for: .proofNonce).map { key in
            DPoPNonces(secret: unsafe key.key.withUnsafeBytes { unsafe Array($0) })
        }
        nonceWindow = DPoPProofWindow(maxAgeSeconds: DPoPLimits.nonceSeconds)
        memory = DPoPReplayMemory(at: start.wall)
        patientWindow = DPoPProofWindow(
            maxAgeSeconds: Limits.proofWithoutNonceSeconds, futureSeconds: Limits.proofWithoutNonceSeconds)
        patientMemory = DPoPReplayMemory(
            at: start.wall - patientWindow.rememberSeconds, rememberSeconds: patientWindow.rememberSeconds)
    }

    /// A nonce for the next proof.
    public func nonce() -> String {
        nonces[0].issue(at: steadyNow)
    }

    /// The proof of a request; `nil` if it has none.
    ///
    /// - Parameters:
    ///   - accessToken: the token that it presents, which the proof must then name.
    ///   - client: the sender; `nil`: not known yet.
    /// - Throws: `invalid_dpop_proof`; `use_dpop_nonce` if its nonce is not one of ours, or too old.
    public func proof(
        _ presentation: DPoPPresentation, accessToken: Secret? = nil, from client: Client? = nil
    ) throws(OAuthProblem) -> CheckedDPoPProof? {
        guard let compact = presentation.proofs.first else { return nil }
        guard presentation.proofs.count == 1 else {
            throw OAuthProblem(.invalidDPoPProof, "the DPoP header is sent twice")
        }
        let takesNoNonce = client?.provesWithoutNonce == true
        let algorithms = takesNoNonce ? Limits.proofWithoutNonceAlgorithms : UnverifiedDPoPProof.algorithms
        let verified: VerifiedDPoPProof
        do {
            verified = try UnverifiedDPoPProof(compact, algorithms: algorithms).verify(
                method: presentation.method, url: presentation.url, accessToken: accessToken?.exposed())
        } catch {
            throw OAuthProblem(.invalidDPoPProof, "the DPoP proof is not good: \(error.detail)")
        }
        let isPatient = takesNoNonce && verified.nonce == nil
        return CheckedDPoPProof(
            proof: verified, evidence: try evidence(verified, isPatient ? patientWindow : window), isPatient: isPatient)
    }

    /// Accepts a proof, once.
    ///
    /// - Throws: `invalid_dpop_proof` if it was seen before; if it is from a time that is not remembered, such as
    ///   before the server's start, `use_dpop_nonce`, or `invalid_dpop_proof` if no nonce can be asked for;
    ///   `temporarily_unavailable` if the database did not answer.
    public func admit(_ proof: CheckedDPoPProof?) async throws(OAuthProblem) {
        guard let proof else { return }
        switch try await admission(of: proof) {
        case .admitted: return
        case .replayed: throw OAuthProblem(.invalidDPoPProof, "the DPoP proof was used before")
        case .tooOld where proof.isPatient:
            throw OAuthProblem(.invalidDPoPProof, "the DPoP proof is too old: make a new one")
        case .tooOld: throw OAuthProblem(.useDPoPNonce, "make a new DPoP proof with this nonce")
        }
    }

    private func admission(of proof: CheckedDPoPProof) async throws(OAuthProblem) -> DPoPReplayMemory.Admission {
        guard let shared else {
            let memory = proof.isPatient ? patientMemory : memory
            return memory.admit(proof.proof, evidence: proof.evidence, at: steadyNow)
        }
        let seconds = proof.isPatient ? patientWindow.rememberSeconds : DPoPLimits.nonceSeconds
        let mark = ReplayMark(
            jti: proof.proof.id, of: proof.keyThumbprint, kind: "dpop",
            // Twice as long as it can be accepted: a server whose clock is ahead may clean up.
            expiresAt: ambient.now() + 2 * seconds)
        do {
            return try await shared.spend(mark, attempt: ambient.randomBytes(16)) ? .admitted : .replayed
        } catch {
            throw OAuthProblem(.temporarilyUnavailable, "the server cannot reach its database: try again")
        }
    }

    /// Whether a response should bring a nonce: the proof had none, or one that expires soon.
    public func wantsNonce(_ proof: CheckedDPoPProof) -> Bool {
        guard proof.proof.nonce != nil else { return !proof.isPatient }
        return nonces[0].isStale(proof.evidence, at: steadyNow)
    }

    /// The time by a clock that is never set: used for nonces and for what is remembered. If the wall clock were used,
    /// setting it back would make every proof look older than what is remembered, until the old time returns.
    private var steadyNow: UnixTime { start.wall + (ambient.uptime() - start.uptime) }

    /// The earliest moment at which the proof can have been accepted.
    private func evidence(
        _ proof: VerifiedDPoPProof, _ window: DPoPProofWindow
    ) throws(OAuthProblem) -> UnixTime {
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

/// A valid proof, not yet checked for replay: ``DPoPChecker/admit(_:)`` does that.
public struct CheckedDPoPProof: Hashable, Sendable {
    let proof: VerifiedDPoPProof
    let evidence: UnixTime
    /// Whether it is remembered among those of clients that take no nonces.
    let isPatient: Bool

    /// The RFC 7638 thumbprint of its key, in base64url.
    public var keyThumbprint: String { proof.keyThumbprint }
}
