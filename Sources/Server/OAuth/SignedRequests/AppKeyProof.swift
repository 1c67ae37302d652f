internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
internal import Model

/// A request that the key of an app signed, which comes along: it shows possession of that key, and nothing else
/// (Authgear's app-to-app). Its challenge is not checked yet.
struct AppKeyProof: Sendable {
    /// Of the key (RFC 7638).
    let thumbprint: String
    let challenge: String

    /// - Throws: `invalid_grant` for every flaw.
    init(_ jwt: String, at now: UnixTime) throws(OAuthProblem) {
        let bound: Int64 = 1 << 53
        let skew = Limits.clockSkewSeconds
        guard jwt.utf8.count <= Limits.signedRequestBytesMax, let jws = try? UnverifiedJWS(jwt),
            jws.header.type == AppToAppNames.requestType,
            UnverifiedSignedRequest<BiometricAction>.algorithms.contains(jws.header.algorithm),
            let member = jws.header.members["jwk"], let key = try? JSONWebKey(member),
            let verifier = try? VerificationKey(key, algorithm: jws.header.algorithm),
            let claims = try? jws.verify(with: verifier).claims(),
            claims["action"]?.stringValue == AppToAppNames.action,
            let issuedAt = claims["iat"]?.integerValue, let expiresAt = claims["exp"]?.integerValue,
            (0...bound).contains(issuedAt), (0...bound).contains(expiresAt),
            now.rawValue < expiresAt + skew, issuedAt <= now.rawValue + skew,
            expiresAt - issuedAt <= Limits.signedRequestSecondsMax,
            let challenge = claims["challenge"]?.stringValue
        else { throw OAuthProblem(.invalidGrant, "the request of the app's key is not valid") }
        thumbprint = key.thumbprint()
        self.challenge = challenge
    }
}
