internal import KeyturnBase
public import KeyturnWire
internal import Model

/// `client_credentials` (RFC 6749 §4.4).
public enum ClientCredentialsGrant: TokenGrant {
    public static let type = GrantType.clientCredentials
    public static let parameters: Set<String> = ["scope", "resource", "box_subject_type", "box_subject_id"]
    public static let admission = GrantAdmission(needsAuthentication: true)

    public static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse {
        try await endpoint.clientCredentials(
            request.form, client: request.client, binding: request.binding, from: request.address)
    }
}

extension TokenEndpoint {
    /// `client_credentials` (RFC 6749 §4.4), for the client itself, for its account in a tenant, or for a user it may
    /// act for: no statement, or one for a user.
    func clientCredentials(
        _ form: FormParameters, client: Client, binding: TokenBinding, from address: NetworkAddress?
    ) async throws -> TokenResponse {
        let subject = try await selected(SubjectSelection.selected(form), client: client, from: address)
        try await proofs.admit(binding.proof)
        let now = ambient.now()
        let response = try serviceTokens(form, for: subject, client: client, binding: binding, at: now)
        record(subject, of: client, from: address, at: now)
        return response
    }

    /// The subject of the token; a client that may not act for it is recorded.
    func selected(
        _ selected: BoxSubject?, client: Client, from address: NetworkAddress?
    ) async throws -> ServiceSubject {
        do {
            return try await subjects.subject(selected, client: client)
        } catch let problem as OAuthProblem {
            audit.recordOnce(
                AuditEvent(
                    .actingRefused, at: ambient.now(), clientID: client.id, address: address?.text,
                    reason: selected?.type.rawValue, actor: TokenIssuer.subject(ofClient: client.id)))
            throw problem
        }
    }

    /// Only acting for a user is recorded, not what a client does for itself.
    func record(_ subject: ServiceSubject, of client: Client, from address: NetworkAddress?, at now: UnixTime) {
        guard case .user(let user, _) = subject else { return }
        audit.recordOnce(
            AuditEvent(
                .tokenIssuedForUser, at: now, userID: user, clientID: client.id, address: address?.text,
                actor: TokenIssuer.subject(ofClient: client.id)))
    }
}
