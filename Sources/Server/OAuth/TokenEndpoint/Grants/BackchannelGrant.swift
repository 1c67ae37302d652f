internal import KeyturnBase
public import KeyturnWire
internal import Model

/// `urn:openid:params:grant-type:ciba` (OpenID Connect CIBA Core §10.1), in the poll and ping modes.
public enum BackchannelGrant: TokenGrant {
    public static let type = GrantType.ciba
    public static let parameters: Set<String> = ["auth_req_id", "resource"]
    public static let admission = GrantAdmission(needsAuthentication: true)

    public static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse {
        try await awaited.redeem(
            request.form, client: request.client, binding: request.binding, at: endpoint
        ) { poll, idleSeconds, now in
            try await endpoint.stores.backchannel.poll(poll, idleSeconds: idleSeconds, at: now)
        }
    }

    private static let awaited = AwaitedGrant(
        parameter: "auth_req_id", repeated: .backchannelRepeated, replayed: .backchannelReplayed,
        pending: "the user has not decided yet: ask again after the interval", denied: "the user refused",
        expired: "the auth_req_id has expired")
}
