public import KeyturnJose
internal import KeyturnBase

/// The rules that every kind of token shares.
enum TokenRules {
    /// Reads the outer form. What breaks JOSE's rules never reaches a key (RFC 8725 §3.1).
    static func parse(
        _ compact: String, bytesMax: Int = VerifyLimits.tokenBytes
    ) throws(AuthError) -> UnverifiedJWS {
        guard compact.utf8.count <= bytesMax else {
            throw AuthError(.tokenMalformed, "larger than \(bytesMax) bytes")
        }
        do throws(JoseProblem) {
            return try UnverifiedJWS(compact, bytesMax: bytesMax)
        } catch {
            throw AuthError(.tokenMalformed, "not a signed token", cause: error)
        }
    }

    /// Refuses algorithms that the caller did not allow (RFC 8725 §3.1).
    static func check(_ jws: UnverifiedJWS, isOneOf algorithms: Set<SignatureAlgorithm>) throws(AuthError) {
        guard algorithms.contains(jws.header.algorithm) else {
            throw AuthError(.tokenSignature, "signed with an algorithm that is not allowed")
        }
    }
}

extension Set<SignatureAlgorithm> {
    /// Every signature algorithm with a public key; secrets shared with an issuer are not offered.
    public static var publicKeyAlgorithms: Self { Set(SignatureAlgorithm.allCases) }
}
