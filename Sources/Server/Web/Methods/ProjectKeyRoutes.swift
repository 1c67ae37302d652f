internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnJose
internal import Model

/// `GET /v2/keys/{projectId}`: the public keys, at the address where Descope's clients look for them.
struct ProjectKeyRoutes: Sendable {
    let services: IdentityServices

    var routes: [Route] {
        [
            Route(
                .get, "/v2/keys/\(services.project.id)", open: "public keys", sharing: .anybody,
                handler: keys)
        ]
    }

    /// Each key has its algorithm, identifier and use: clients skip a key that lacks one.
    private func keys(_ request: Request, _ context: WebContext) async throws -> Response {
        let now = services.ambient.now()
        await services.keys.waitUntilReady(services.signatureAlgorithms, at: now)
        let keys = services.keys.publicKeys(at: now).map { key in
            var key = key
            key.use = key.use ?? "sig"
            return key.json
        }
        let body = JSONWriter.object { json in json.member("keys", .array(keys)) }
        return .json(body, headers: [.cacheControl: "public, max-age=300", .accessControlAllowOrigin: "*"])
    }
}
