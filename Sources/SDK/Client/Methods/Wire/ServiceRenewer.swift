internal import KeyturnBase
internal import KeyturnWire

/// A service whose sessions are renewed where they were made: at its token endpoint, or by its methods' wire.
struct ServiceRenewer: SessionRenewer {
    let openID: OpenIDProvider
    /// `nil`: the service does not speak that wire.
    let methods: MethodEndpoint?

    func prepare(_ record: SessionRecord) async throws(AuthError) {
        if try endpoint(of: record) == nil { try await openID.prepare(record) }
    }

    func renew(_ record: SessionRecord) async throws(AuthError) -> TokenGrant {
        guard let endpoint = try endpoint(of: record) else { return try await openID.renew(record) }
        guard let token = record.refreshToken else { throw AuthError(.unsupported, "there is no refresh token") }
        let reply: MethodReply
        do throws(AuthError) {
            reply = try await endpoint.post("/v1/auth/refresh", presenting: .refreshJWT(Secret(token)))
        } catch {
            throw isVerdict(error, on: token, at: endpoint)
                ? AuthError(.sessionEnded, "the server ended the session", cause: error, server: error.server) : error
        }
        let session = try MethodSession(reply, at: endpoint.clock.now())
        guard session.token.entityId == SessionToken(Secret(record.accessToken))?.entityId else {
            throw AuthError(.tokenMisdirected, "the renewed session names somebody else")
        }
        return session.grant(at: endpoint.clock.now())
    }

    /// Whether a refusal is the last word on a refresh token: the server says that this very token is over, or refuses
    /// it by name after its own end. Everything else may be about the project, the network or the weather.
    private func isVerdict(_ error: AuthError, on token: String, at endpoint: MethodEndpoint) -> Bool {
        guard error.code == .refused, error.server?.status == 401, let code = error.methodCode else { return false }
        let isOver = SessionToken(Secret(token))?.isExpired(at: endpoint.clock.now()) ?? false
        return code == MethodProblem.tokenRevoked.code || isOver
    }

    func verify(renewedIDToken compact: String, of record: SessionRecord) async throws(AuthError) -> IDToken {
        try await openID.verify(renewedIDToken: compact, of: record)
    }

    func renewsIDToken(of record: SessionRecord) -> Bool {
        record.projectID == nil && openID.renewsIDToken(of: record)
    }

    func renewIDToken(of record: SessionRecord) async throws(AuthError) -> RenewedIDToken {
        try await openID.renewIDToken(of: record)
    }

    func proofKey(of record: SessionRecord) async throws(AuthError) -> String? {
        record.projectID == nil ? try await openID.proofKey(of: record) : nil
    }

    func revoke(_ record: SessionRecord, timeoutSeconds: Int) async throws(AuthError) {
        guard let endpoint = try endpoint(of: record) else {
            return try await openID.revoke(record, timeoutSeconds: timeoutSeconds)
        }
        guard let token = record.refreshToken else { return }
        do throws(AuthError) {
            _ = try await endpoint.post(
                "/v1/auth/logout", presenting: .refreshJWT(Secret(token)), timeoutSeconds: timeoutSeconds)
        } catch {
            // What is over already needs no ending.
            guard isVerdict(error, on: token, at: endpoint) else { throw error }
        }
    }

    private func endpoint(of record: SessionRecord) throws(AuthError) -> MethodEndpoint? {
        guard let project = record.projectID else { return nil }
        guard let methods else { throw AuthError(.unsupported, "the session was made by another kind of service") }
        return methods.of(project: project)
    }
}
