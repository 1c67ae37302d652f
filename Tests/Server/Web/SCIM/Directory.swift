import Identity
import KeyturnBase
import Model
import ServerTesting
import Testing

/// A tenant's directory, with a token for the server.
struct Directory: Sendable {
    let server: TestServer
    let token: String

    /// Makes the tenant, if it is not there, and a token.
    static func of(_ tenant: String, at server: TestServer, domains: [String] = []) async throws -> Directory {
        let stores = server.services.stores
        if server.services.directory.tenant(tenant) == nil {
            try await stores.tenants.create(Tenant(id: tenant, name: tenant, createdAt: server.clock.now))
            try await server.services.directory.reload()
        }
        for name in domains {
            let domain = try #require(EmailDomain(name))
            _ = try await stores.tenantDomains.claim(
                TenantDomain(
                    tenantID: tenant, domain: domain, state: .pending, token: "x", claimedAt: server.clock.now))
            _ = try await stores.tenantDomains.settle(domain, of: tenant, as: .proven, at: server.clock.now)
        }
        let secret = "ktscim_of_\(tenant)"
        guard try await stores.provisioningTokens.tokens(of: tenant).isEmpty else {
            return Directory(server: server, token: secret)
        }
        _ = try await stores.provisioningTokens.create(
            SCIMToken(id: "token of \(tenant)", tenantID: tenant, name: "", createdAt: server.clock.now),
            digest: SecretDigest(of: Secret(secret)))
        return Directory(server: server, token: secret)
    }

    @discardableResult
    func send(_ method: String, _ path: String, _ body: JSONValue? = nil, headers: [(String, String)] = [])
        async throws -> EndpointAnswer
    {
        let answer = try await server.send(
            method, "/scim/v2\(path)",
            headers: [("Authorization", "Bearer \(token)"), ("Content-Type", "application/scim+json")] + headers,
            body: body.map { String(decoding: $0.serialized, as: UTF8.self) })
        #expect(answer.body.isEmpty || answer.headers["content-type"] == "application/scim+json")
        return answer
    }

    /// Makes a user and returns the identifier.
    func user(_ name: String, _ more: [String: JSONValue] = [:]) async throws -> String {
        let answer = try await send(
            "POST", "/Users", .object(more.merging(["userName": .string(name)]) { $1 }))
        return try #require(answer.status == 201 ? answer.json["id"]?.stringValue : nil, "\(answer.body)")
    }

    func group(_ name: String, members: [String] = []) async throws -> String {
        let list = JSONValue.array(members.map { ["value": .string($0)] })
        let answer = try await send("POST", "/Groups", ["displayName": .string(name), "members": list])
        return try #require(answer.status == 201 ? answer.json["id"]?.stringValue : nil, "\(answer.body)")
    }

    func patch(_ path: String, _ operations: JSONValue...) async throws -> EndpointAnswer {
        try await send(
            "PATCH", path,
            ["schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": .array(operations)])
    }
}
