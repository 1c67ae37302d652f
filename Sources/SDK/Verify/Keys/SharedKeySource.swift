package import KeyturnBase
package import KeyturnJose

/// Keys that several issuers share, each of which may say which issuer's alone it is: with a member `issuer`, as Entra
/// writes it.
package protocol SharedKeySource: KeySource {
    /// As ``KeySource/open(_:at:askingAtOnce:)``, with a key that is for `issuer`, or for all of them.
    ///
    /// - Parameters:
    ///   - jws: The token, parsed and not verified.
    ///   - now: The moment to judge by, for keys that age.
    ///   - askingAtOnce: Whether to ask without a pause for keys that are missing.
    ///   - issuer: Whom the token names as its issuer. Not verified: it chooses keys alone.
    /// - Throws: as there; `token.signature` if the keys that could have signed are other issuers'.
    func open(
        _ jws: UnverifiedJWS, at now: UnixTime, askingAtOnce: Bool, issuer: String
    ) async throws(AuthError) -> VerifiedJWS
}
