public import KeyturnBase

/// When a proof must have been made to be accepted now (RFC 9449 §4.3 step 11, §11.1).
public struct DPoPProofWindow: Sendable {
    /// How old a proof may be, in seconds.
    public let maxAgeSeconds: Int64
    /// How far ahead of ours its sender's clock may be, in seconds.
    public let futureSeconds: Int64

    /// - Parameters:
    ///   - maxAgeSeconds: 1…3600.
    ///   - futureSeconds: 0…300. FAPI 2.0 demands at least 10.
    public init(
        maxAgeSeconds: Int64 = DPoPLimits.proofSeconds, futureSeconds: Int64 = DPoPLimits.futureSeconds
    ) {
        precondition((1...3_600).contains(maxAgeSeconds), "a proof is good for 1...3600 seconds")
        precondition((0...300).contains(futureSeconds), "clocks differ by 0...300 seconds")
        self.maxAgeSeconds = maxAgeSeconds
        self.futureSeconds = futureSeconds
    }

    /// Whether a proof that says it was made at `issuedAt` is good at `now`. Both ends belong to the window.
    public func contains(_ issuedAt: UnixTime, at now: UnixTime) -> Bool {
        issuedAt <= now + futureSeconds && now <= issuedAt + maxAgeSeconds
    }

    /// The earliest moment at which such a proof can have been accepted: the evidence for
    /// ``DPoPReplayMemory/admit(_:evidence:at:)`` where `iat` is all there is.
    public func earliestAcceptance(of issuedAt: UnixTime) -> UnixTime {
        issuedAt - futureSeconds
    }

    /// How long a proof can be accepted after its first acceptance, in seconds: so long it must be remembered.
    public var rememberSeconds: Int64 { maxAgeSeconds + futureSeconds }
}
