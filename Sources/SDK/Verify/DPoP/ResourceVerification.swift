public import KeyturnBase
internal import KeyturnJose

extension TokenVerifier {
    /// Accepts the token of a request, bound to its sender or not, or says why not: all that a service needs to call.
    ///
    /// A token that is bound to a key is accepted under the scheme `DPoP` with a proof of that key, and in no other
    /// way; a token that is not bound, under the scheme `Bearer` (RFC 9449 §7.1, §7.2).
    ///
    /// ```swift
    /// let request = ResourceRequest(authorization: header, proofs: proofs, method: method, url: url)
    /// do {
    ///     let token = try await verifier.verify(request, dpop: dpop, at: ambient.now())
    /// } catch {
    ///     let challenge = DPoPChallenge(answering: error, to: request)
    ///     // answer with challenge.status, challenge.headers, and challenge.nonce if there is one
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: What was presented.
    ///   - dpop: Checks and remembers proofs: one for the life of the process.
    ///   - now: The moment to judge by; pass `ambient.now()`.
    /// - Throws: `token.missing`, `dpop.invalid_proof`, `dpop.use_nonce`, and as
    ///   ``verify(_:proofKeyThumbprint:at:)``.
    public func verify(
        _ request: ResourceRequest, dpop: DPoPVerifier, at now: UnixTime
    ) async throws(AuthError) -> VerifiedToken {
        let token = try request.token()
        guard request.scheme == .dpop else { return try await verify(token, at: now) }
        let checked = try dpop.check(
            proofs: request.proofs, method: request.method, url: request.url, token: token, at: now)
        let verified = try await verify(token, proofKeyThumbprint: checked.proof.keyThumbprint, at: now)
        guard verified["cnf"] != nil else {
            throw AuthError(.tokenKind, "not bound to a key, and presented as if it were (RFC 9449 §7.1)")
        }
        try await dpop.admit(checked, at: now)
        return verified
    }
}

extension Introspection {
    /// Verifies the token and the proof of a request by asking the authorization server about the token (RFC 7662).
    ///
    /// - Throws: `token.refused` if it is not active; `token.missing`, `dpop.invalid_proof`, `dpop.use_nonce`; otherwise as
    ///   ``ask(_:proofKeyThumbprint:at:)``.
    public func verify(
        _ request: ResourceRequest, dpop: DPoPVerifier, at now: UnixTime
    ) async throws(AuthError) -> ActiveToken {
        let token = try request.token()
        guard request.scheme == .dpop else { return try await ask(token, at: now).get() }
        let checked = try dpop.check(
            proofs: request.proofs, method: request.method, url: request.url, token: token, at: now)
        let active = try await ask(token, proofKeyThumbprint: checked.proof.keyThumbprint, at: now).get()
        try await dpop.admit(checked, at: now)
        return active
    }
}
