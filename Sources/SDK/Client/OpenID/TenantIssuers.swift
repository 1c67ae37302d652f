internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// What a provider with many tenants has in the place of an issuer.
extension OpenIDProvider {
    /// The template of the tenants' issuers.
    ///
    /// - Throws: `protocol.violation` if the metadata names none.
    func issuerTemplate() async throws(AuthError) -> IssuerTemplate {
        guard let template = IssuerTemplate(try await metadata().issuer) else {
            throw AuthError(.protocolViolation, "the metadata names no template of issuers")
        }
        return template
    }

    /// Makes sure that a session's user may still sign in: the app may have taken a tenant off its list.
    ///
    /// - Throws: `sign_in.interaction_required` if not.
    nonisolated func checkTenant(of record: SessionRecord) throws(AuthError) {
        guard let taken = service.tenants?.identifiers, let tenant = record.idToken?.claims["tid"]?.stringValue,
            !taken.contains(tenant.lowercased())
        else { return }
        throw AuthError(
            .interactionRequired,
            "the session is of a tenant that the app lets in no more: call authorizeIfNeeded or authorize")
    }

    /// For whom a client signs a statement that says who it is (RFC 7523 §3).
    ///
    /// - Throws: `protocol.violation` if the metadata names no token endpoint.
    nonisolated func assertionAudience(_ metadata: ServerMetadata) throws(AuthError) -> String {
        // The template is no server's name.
        guard service.tenants == nil else { return try metadata.endpoint(.tokenEndpoint) }
        return metadata.issuer
    }
}
