public import KeyturnBase
public import KeyturnWire

/// What the service knows about the person who is signed in.
public struct ProfileMethods: Sendable {
    let access: MethodAccess

    /// Who it is.
    ///
    /// - Parameter refreshJwt: Whose session; `nil`: the container's.
    /// - Throws: `session.signed_out`; `service.unsupported`; `server.refused`; `transport.unavailable`;
    ///   `protocol.violation`.
    public func me(refreshJwt: String? = nil) async throws(AuthError) -> UserDetails {
        UserDetails(try await access.fetchSignedIn("/v1/auth/me", refreshJwt: refreshJwt).message())
    }

    /// The tenants that the person belongs to.
    ///
    /// - Parameters:
    ///   - dct: Only the one that the session is for.
    ///   - tenantIds: Only these.
    ///   - refreshJwt: The session whose user is meant; `nil`: this container's.
    /// - Throws: as ``me(refreshJwt:)``; `argument.invalid` if both are asked for.
    public func tenants(
        dct: Bool = false, tenantIds: [String] = [], refreshJwt: String? = nil
    ) async throws(AuthError) -> [TenantAnswer] {
        guard !dct || tenantIds.isEmpty else {
            throw AuthError(.invalidArgument, "either the session's tenant or tenants by name")
        }
        let request = TenantsRequest(isCurrentOnly: dct, ids: tenantIds)
        return try await access.sendSignedIn("/v1/auth/me/tenants", request, refreshJwt: refreshJwt)
            .message(TenantsAnswer.self).tenants
    }

    /// The person's sign-ins of the past.
    ///
    /// - Throws: as ``me(refreshJwt:)``.
    public func history(refreshJwt: String? = nil) async throws(AuthError) -> [LoginHistoryAnswer] {
        try await access.fetchSignedIn("/v1/auth/me/history", refreshJwt: refreshJwt).messages()
    }

    /// Makes the container's session one for a tenant; backends see which (`dct`).
    ///
    /// - Returns: The new session token.
    /// - Throws: as ``me(refreshJwt:)``; `store.unavailable`; `service.unsupported` in a session of an authorization.
    @discardableResult
    public func selectTenant(_ tenantId: String) async throws(AuthError) -> SessionToken {
        let endpoint = try access.endpoint()
        let request = SelectTenantRequest(tenant: try MethodAccess.checked(tenantId, "tenantId"))
        let before = try await access.keeper.presentableSession()
        guard before.isOfProject else {
            throw AuthError(.unsupported, "a tenant is selected in a session that a method made, not an authorization")
        }
        let reply = try await endpoint.post("/v1/auth/tenant/select", request.json, presenting: before.credential)
        let session = try MethodSession(reply, at: endpoint.clock.now())
        try await access.keeper.replaceTokens(of: before.signIn, by: session.grant(at: endpoint.clock.now()))
        return session.token
    }
}
