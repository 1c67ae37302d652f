internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `POST /federation/{name}/logout`: a provider tells that its user signed out (OpenID Connect Back-Channel Logout 1.0
/// §2.5). Sessions that began at this connection end, and no others.
struct ProviderLogoutRoutes: Sendable {
    let services: IdentityServices
    let gate: FederationGate

    static let path = "/federation/{name}/logout"

    var routes: [Route] {
        [
            Route(
                .post, Self.path, open: "the notice that it carries is signed by the connection's provider",
                handler: receive)
        ]
    }

    private func receive(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.postedForm(max: Limits.tokenBytesMax + 1_024).fields
        guard let id = request.names(in: Self.path).first, let connection = gate.connection(id),
            let speaker = gate.protocols.of(connection),
            let token = try? form.one("logout_token")
        else { return Self.refusal("There is no such connection, or no logout_token") }
        let notice: ProviderLogout
        do throws(ConnectionProblem) {
            notice = try await speaker.logout(token, at: connection)
        } catch {
            services.auditLog.recordOnce(
                AuditEvent(.identityRefused, at: services.ambient.now(), reason: error.code, target: connection.id))
            guard error.kind != .unavailable else {
                return .problem(OAuthProblem(.temporarilyUnavailable, "The provider's keys cannot be read now"))
            }
            return Self.refusal("The logout_token was not accepted")
        }
        let mark = ReplayMark(
            jti: notice.id, of: connection.id, kind: "provider-logout",
            expiresAt: notice.expiresAt + Limits.federationSkewSeconds)
        guard try await services.stores.spent.spend(mark) else {
            return Self.refusal("The logout_token was used before")
        }
        // Before the sessions are looked for: a page that waits opens none meanwhile.
        if let key = Self.key(notice, connection) {
            try await services.stores.identities.noteSignOut(of: key, at: services.ambient.now())
        }
        let ended = try await FederatedSessions(
            stores: services.stores, audit: services.auditLog, ambient: services.ambient
        ).end(try await sessions(notice, connection), at: connection)
        if ended > 0 { services.logoutNotices.wake() }
        return .json(Array("{}".utf8))
    }

    /// Of the provider's session, if the notice names one; otherwise every one of the user.
    private func sessions(_ notice: ProviderLogout, _ connection: Connection) async throws -> [FederatedSession] {
        let identities = services.stores.identities
        let now = services.ambient.now()
        if let key = Self.key(notice, connection) {
            return try await identities.sessions(of: key, providerSession: notice.session, at: now)
        }
        guard let session = notice.session else { return [] }
        return try await identities.sessions(
            inProviderSession: session, at: connection.id, issuer: notice.issuer, at: now)
    }

    /// The identity that the notice names; `nil`: none.
    private static func key(_ notice: ProviderLogout, _ connection: Connection) -> FederatedIdentity.Key? {
        notice.subject.map {
            FederatedIdentity.Key(connectionID: connection.id, issuer: notice.issuer, subject: $0)
        }
    }

    private static func refusal(_ text: String) -> Response { .problem(OAuthProblem(.invalidRequest, text)) }
}
