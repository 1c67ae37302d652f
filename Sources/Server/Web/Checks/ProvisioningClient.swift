internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SCIM

/// A request with a token of a tenant's provisioning client. The token alone names the tenant.
struct ProvisioningClient: Sendable {
    let client: SCIMClient

    fileprivate init(_ client: SCIMClient) {
        self.client = client
    }
}

extension Demand {
    static let provisioningToken = Demand(.provisioningToken, .error(401, "401"))
}

extension Checks {
    /// - Throws: ``Refused`` with 401, the same for an unknown, an expired and a revoked token; ``StoreError``.
    func provisioningClient(_ request: Request, _ context: WebContext) async throws -> ProvisioningClient {
        let shown = Self.credentials(request).flatMap {
            $0.scheme == TokenType.bearer.lowercased() ? $0.credentials : nil
        }
        let now = services.ambient.now()
        guard let shown, let token = try await services.stores.provisioningTokens.use(SecretDigest(of: shown), at: now)
        else {
            var refusal = Response.provisioning(.refusal(401, "The bearer token is missing, or not good any more."))
            refusal.headers[.wwwAuthenticate] = "Bearer realm=\"scim\""
            throw Refused(refusal)
        }
        return ProvisioningClient(
            SCIMClient(
                tenantID: token.tenantID, tokenID: token.id, address: addresses.address(of: request, context)?.text))
    }
}
