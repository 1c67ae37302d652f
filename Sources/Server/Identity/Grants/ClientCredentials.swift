internal import KeyturnBase
internal import KeyturnWire

extension TokenEndpoint {
    /// `client_credentials` (RFC 6749 §4.4), for the client itself, for its account in a tenant, or for a user whom it may
    /// act for: no statement, but for a user one.
    func clientCredentials(
        _ form: FormParameters, client: Client, binding: TokenBinding
    ) async throws -> TokenResponse {
        guard !client.isPublic else {
            throw OAuthProblem(.unauthorizedClient, "only a client that authenticates may act for itself")
        }
        let subject = try await subjects.subject(SubjectSelection.selected(form), client: client)
        try proofs.admit(binding.proof)
        let now = ambient.now()
        let response = try serviceTokens(form, for: subject, client: client, binding: binding, at: now)
        record(subject, of: client, at: now)
        return response
    }

    /// What a client does for itself is its own; that it acts for a user is told.
    func record(_ subject: ServiceSubject, of client: Client, at now: UnixTime) {
        guard case .user(let user, _) = subject else { return }
        audit.record(
            AuditEvent(
                .tokenIssuedForUser, at: now, userID: user, clientID: client.id,
                actor: TokenIssuer.subject(ofClient: client.id)))
    }
}
