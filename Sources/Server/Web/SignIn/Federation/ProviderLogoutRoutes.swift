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
        let ended = try await FederatedSessions(
            stores: services.stores, audit: services.auditLog, ambient: services.ambient
        ).end(notice, at: connection)
        if ended > 0 { services.logoutNotices.wake() }
        return .json(Array("{}".utf8))
    }

    private static func refusal(_ text: String) -> Response { .problem(OAuthProblem(.invalidRequest, text)) }
}
