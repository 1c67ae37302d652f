internal import KeyturnWire
internal import Model

/// What a request says in `scope`.
extension Scope {
    /// - Throws: `invalid_scope` for a text that is no scope, or names too many.
    init(asked text: String) throws(OAuthProblem) {
        guard let scope = Scope(text), scope.names.count <= Limits.scopeNamesMax else {
            throw OAuthProblem(.invalidScope, "scope is not well-formed")
        }
        self = scope
    }

    /// As much of it as a client may have; names that nobody registered are left out (OpenID Connect Core §3.1.2.1).
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
