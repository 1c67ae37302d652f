/// Every bound of DPoP, with its unit and its reason.
public enum DPoPLimits {
    /// How long a proof may be, in bytes. A P-256 proof has about 600; one with an RSA key of 4096 bits fits.
    public static let proofBytes = 4_096
    /// How long `jti` may be, in bytes. A UUID has 36; it is hashed for every request.
    public static let idBytes = 256
    /// How long an RSA modulus may be, in bytes. A proof brings its own key, so its sender chooses what a check costs.
    public static let modulusBytes = 512
    /// How long an RSA exponent may be, in bytes, for the same reason. Everybody uses 65537.
    public static let exponentBytes = 4

    /// How old a proof may be, in seconds: a request's way here, and a slow clock.
    public static let proofSeconds: Int64 = 60
    /// How far ahead of ours the sender's clock may be, in seconds (RFC 9449 §11.1).
    public static let futureSeconds: Int64 = 10
    /// How long a nonce is good, in seconds (RFC 9449 §8).
    public static let nonceSeconds: Int64 = 300
    /// How far the clocks of two servers that share the secret of their nonces may differ, in seconds.
    public static let nonceAheadSeconds: Int64 = 10

    /// How many proofs one generation of the memory holds. 16 bytes each: two generations stay below 20 MB.
    public static let rememberedProofs = 200_000
}
