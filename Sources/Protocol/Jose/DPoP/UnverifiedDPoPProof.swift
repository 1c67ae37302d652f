public import KeyturnBase

/// A DPoP proof that was taken apart but not checked (RFC 9449 §4.3, steps 2 to 7 but for the signature).
///
/// This is the one token that brings its own key: it proves possession of that key and nothing else, so the
/// verifier compares the key's thumbprint with what is bound to it.
public struct UnverifiedDPoPProof: Sendable {
    /// `typ` of a proof, letter by letter.
    public static let type = "dpop+jwt"

    /// The algorithms that a proof may be signed with, best first: what `dpop_signing_alg_values_supported` and `algs`
    /// say (RFC 9449 §5.1, §7.1). No RS256: new protocols have no need of PKCS #1 v1.5.
    public static let algorithms: [SignatureAlgorithm] = [.es256, .es384, .es512, .edDSA, .ps256]

    private let jws: UnverifiedJWS
    private let key: JSONWebKey
    private let verificationKey: VerificationKey
    private let claims: DPoPClaims

    /// Takes a proof apart. Members that it does not know are ignored (RFC 9449 §4.2).
    ///
    /// - Parameters:
    ///   - compact: The one value of the request's `DPoP` header.
    ///   - algorithms: The ones that its sender may sign with.
    /// - Throws: `tooLarge`; `malformed` if it is no token, or a claim is missing or misspelt; `header` for another
    ///   `typ`; `unsupportedAlgorithm`; `invalidKey`, `weakKey` or `algorithmMismatch` for a `jwk` that is missing,
    ///   private, damaged, or for something else.
    public init(
        _ compact: String, algorithms: [SignatureAlgorithm] = UnverifiedDPoPProof.algorithms
    ) throws(JoseProblem) {
        guard compact.utf8.count <= DPoPLimits.proofBytes else { throw JoseProblem(.tooLarge, "the proof is too long") }
        jws = try UnverifiedJWS(compact)
        let header = jws.header
        // Not `header.type`, which other spellings lead to.
        guard header.members["typ"]?.stringValue == Self.type else {
            throw JoseProblem(.header, "typ is not dpop+jwt")
        }
        guard algorithms.contains(header.algorithm) else {
            throw JoseProblem(.unsupportedAlgorithm, "a proof is not signed with such an algorithm")
        }
        guard let jwk = header.members["jwk"] else { throw JoseProblem(.invalidKey, "the header holds no key") }
        key = try JSONWebKey(jwk)
        if case .rsa(let modulus, let exponent) = key.material {
            guard modulus.count <= DPoPLimits.modulusBytes, exponent.count <= DPoPLimits.exponentBytes else {
                throw JoseProblem(.invalidKey, "the key's numbers are larger than a proof needs")
            }
        }
        verificationKey = try VerificationKey(key, algorithm: header.algorithm)
        claims = try DPoPClaims(parsing: jws.unverifiedPayload)
    }

    /// Checks that the proof was made with its key for this request (RFC 9449 §4.3, steps 7 to 10 and 12).
    ///
    /// When it was made, whether its nonce is ours and whether it was seen before are not judged here, but by
    /// ``DPoPProofWindow``, ``DPoPNonces`` and ``DPoPReplayMemory``.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - url: The request's URL, as the sender knows it. Query and fragment do not matter, nor do differences that
    ///     mean nothing (RFC 3986 §6.2.2, §6.2.3).
    ///   - accessToken: The token that the request presents; the proof must then hold its hash. `nil` at the token
    ///     endpoint.
    ///   - thumbprint: The thumbprint of the key that it must be (RFC 7638), if that is known.
    /// - Throws: `mismatch` if it is for another request, token or key; `signature` if it is not by its key.
    public func verify(
        method: String, url: String, accessToken: String? = nil, expectedKey thumbprint: String? = nil
    ) throws(JoseProblem) -> VerifiedDPoPProof {
        guard claims.method == method else { throw JoseProblem(.mismatch, "htm is another method") }
        guard let target = DPoPTarget(url), DPoPTarget(claims.url) == target else {
            throw JoseProblem(.mismatch, "htu is another URL")
        }
        if let accessToken {
            let expected = Self.hash(of: accessToken)
            guard let hash = claims.accessTokenHash, ConstantTime.equal(Array(hash.utf8), Array(expected.utf8)) else {
                throw JoseProblem(.mismatch, "ath is missing, or of another access token")
            }
        }
        let own = key.thumbprint()
        if let thumbprint, !ConstantTime.equal(Array(own.utf8), Array(thumbprint.utf8)) {
            throw JoseProblem(.mismatch, "the proof is by another key")
        }
        _ = try jws.verify(with: verificationKey)
        return VerifiedDPoPProof(keyThumbprint: own, id: claims.id, issuedAt: claims.issuedAt, nonce: claims.nonce)
    }
}

/// A proof that its sender holds a key and made this very request.
/// Only ``UnverifiedDPoPProof/verify(method:url:accessToken:expectedKey:)`` makes one.
///
/// It may still be old, or have been seen before.
public struct VerifiedDPoPProof: Hashable, Sendable {
    /// The RFC 7638 thumbprint of the key in base64url: what a token's `cnf.jkt` names (RFC 9449 §6.1).
    public let keyThumbprint: String
    /// `jti`.
    public let id: String
    /// `iat`, by the sender's clock.
    public let issuedAt: UnixTime
    /// `nonce`; whose it is was not checked.
    public let nonce: String?
}
