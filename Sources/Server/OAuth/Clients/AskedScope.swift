internal import KeyturnWire
internal import Model

/// The `scope` parameter of a request.
extension Scope {
    /// - Throws: `invalid_scope` for a text that is no scope, or names too many.
    init(asked text: String) throws(OAuthProblem) {
        guard let scope = Scope(text), scope.names.count <= Limits.scopeNamesMax else {
            throw OAuthProblem(.invalidScope, "scope is not well-formed")
        }
        self = scope
    }

    /// The part that a client may have; unregistered names are left out (OpenID Connect Core §3.1.2.1).
    ///
    /// - Throws: `invalid_scope` if nothing is left.
    func granted(from allowed: Scope) throws(OAuthProblem) -> Scope {
        let granted = intersection(allowed)
        guard !granted.isEmpty else {
            throw OAuthProblem(.invalidScope, "the client is not registered for any scope that it asked for")
        }
        return granted
    }
}
