internal import KeyturnBase
package import KeyturnWire

/// What a client may be told about users.
extension Client {
    /// The scope that it may have now: what it registered, or everything that is standard.
    package var permittedScope: Scope { scope ?? Scope(names: Scope.standard) }

    /// The claims that it hears by the operator's word, in ID tokens.
    package var idTokenClaims: Set<String> { Set(metadata.idTokenClaims ?? []) }

    /// The claims that it hears by the operator's word, at UserInfo.
    package var userinfoClaims: Set<String> { Set(metadata.userinfoClaims ?? []) }

    /// The claims that a request of it may name (OpenID Connect Core §5.5): those of the scopes that it may have, and
    /// those that the operator lists for it. A custom claim is never its own wish alone.
    package var claimsToRequest: Set<String> {
        StandardClaims.claims(forScopes: permittedScope).union(idTokenClaims).union(userinfoClaims)
    }

    /// Whether it hears email addresses and phone numbers that the user has not proved, with the flag that says so.
    package var hearsUnverifiedContacts: Bool { metadata.unverifiedContacts ?? (profile == .authgear) }

    /// Whether a redirection to an address proves nothing about who receives it: any program of the machine can listen
    /// on a loopback address, and any app can claim a private-use scheme (RFC 8252 §8.6). A client that authenticates
    /// shows who it is when it redeems the code.
    package func isUnproven(at redirectURI: String) -> Bool {
        guard isPublic else { return false }
        guard let parts = URIParts(redirectURI) else { return true }
        return parts.scheme != "https" || parts.isLoopback
    }
}
