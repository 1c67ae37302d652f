import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("mgmt.sso of the methods' wire")
struct SSOManagementTests {
    private static let openID: [String: JSONValue] = [
        "name": "Corp", "clientId": "client", "clientSecret": "very-secret-4711", "issuer": "https://login.example",
        "scope": ["openid", "email", "calendar"], "redirectUrl": "https://app.example/sso",
        "userAttrMapping": ["loginId": "sub", "givenName": "first", "email": "email"],
    ]

    private func start() async throws -> TestServer {
        let tenants = ["t1", "t2"].map { Tenant(id: $0, name: $0.uppercased(), createdAt: UnixTime(rawValue: 0)) }
        return try await FederationFixture.start(.person(), [], tenants: tenants).server
    }

    private func load(_ server: TestServer, _ path: String, _ query: String) async throws -> EndpointAnswer {
        try await server.call("GET", "/\(path)?\(query)", bearer: "test:\(TestServer.managementKey)")
    }

    private func configure(
        _ server: TestServer, tenant: String = "t1", domains: [JSONValue] = ["corp.example"],
        _ change: [String: JSONValue] = [:]
    ) async throws -> EndpointAnswer {
        let settings = Self.openID.merging(change) { _, new in new }
        return try await server.manage(
            "sso/oidc",
            ["tenantId": .string(tenant), "settings": .object(settings), "domains": .array(domains)])
    }

    @Test func `settings of OpenID Connect come back without the secret, and open a sign-in`() async throws {
        let server = try await start()
        #expect(try await configure(server).status == 200)
        let loaded = try await load(server, "v2/mgmt/sso/settings", "tenantId=t1")
        #expect(loaded.status == 200 && loaded.json["tenant"]?["authType"] == "oidc")
        #expect(loaded.json["tenant"]?["domains"] == ["corp.example"] && loaded.json["ssoId"] == "default_ssoid")
        let oidc = try #require(loaded.json["oidc"])
        #expect(oidc["clientId"] == "client" && oidc["issuer"] == "https://login.example")
        #expect(oidc["clientSecret"] == "" && !loaded.body.contains("very-secret-4711"))
        #expect(oidc["userAttrMapping"]?["givenName"] == "first" && oidc["redirectUrl"] == "https://app.example/sso")
        let begun = try await server.call("sso/authorize?tenant=t1", [:])
        #expect(begun.status == 200 && begun.json["url"]?.stringValue?.contains("/federation?ticket=") == true)
        // A masked secret comes back empty: the present one stays at the same provider, and nowhere else.
        #expect(try await configure(server, ["clientSecret": ""]).status == 200)
        #expect(try secret(server) == "very-secret-4711")
        #expect(try await configure(server, ["clientSecret": "", "issuer": "https://evil.example"]).status == 200)
        #expect(try secret(server) == nil)
        await server.stop()
    }

    private func secret(_ server: TestServer) throws -> String? {
        let own = server.services.connections.connections(of: "t1")
        guard case .openID(let settings)? = own.first?.settings else { throw TestFailure("there is none") }
        return settings.clientSecret
    }

    @Test func `a configuration is made, filled, turned off and on, and deleted`() async throws {
        let server = try await start()
        let new: JSONValue = ["tenantId": "t1", "ssoId": "second", "displayName": "Second"]
        #expect(try await server.manage("sso/settings/new", new).status == 200)
        #expect(try await server.manage("sso/settings/new", new).status == 400)
        let kind: JSONValue = ["tenantId": "t1", "ssoId": "second", "authType": "oidc"]
        #expect(try await server.manage("sso/settings/authtype", kind).status == 400)
        var members: [String: JSONValue] = ["tenantId": "t1", "ssoId": "second", "settings": .object(Self.openID)]
        #expect(try await server.manage("sso/oidc", .object(members)).status == 200)
        members["authType"] = "none"
        #expect(try await server.manage("sso/settings/authtype", .object(members)).status == 200)
        #expect(try await server.call("sso/authorize?tenant=t1&ssoId=second", [:]).status >= 400)
        #expect(try await server.manage("sso/settings/authtype", kind).status == 200)
        #expect(try await configure(server).status == 200)
        let all = try await load(server, "v2/mgmt/sso/settings/all", "tenantId=t1")
        let ids = all.json["SSOSettings"]?.arrayValue?.compactMap { $0["ssoId"]?.stringValue } ?? []
        #expect(Set(ids) == ["default_ssoid", "second"])
        let path = "/v1/mgmt/sso/settings?tenantId=t1&ssoId=second"
        #expect(try await server.manage(path, nil, method: "DELETE").status == 200)
        #expect(try await server.manage(path, nil, method: "DELETE").status == 400)
        await server.stop()
    }

    @Test func `SAML settings come back by the names of the answer`() async throws {
        let server = try await start()
        let body = JSONValue.string(
            Data([0x30] + [UInt8](repeating: 7, count: 200)).base64EncodedString())
        let settings: JSONValue = [
            "idpUrl": "https://idp.example/sso", "entityId": "https://idp.example", "idpCert": body,
            "attributeMapping": ["email": "mail", "group": "memberOf"],
            "roleMappings": [["groups": ["staff"], "roleName": "reader"]],
        ]
        let answer = try await server.manage(
            "sso/saml", ["tenantId": "t1", "settings": settings, "domains": ["corp.example"]])
        #expect(answer.status == 200, "\(answer.json)")
        let saml = try #require(try await load(server, "v2/mgmt/sso/settings", "tenantId=t1").json["saml"])
        #expect(saml["idpSSOUrl"] == "https://idp.example/sso" && saml["idpEntityId"] == "https://idp.example")
        #expect(saml["idpCertificate"] == body && saml["attributeMapping"]?["group"] == "memberOf")
        #expect(saml["groupsMapping"]?.arrayValue?.first?["role"]?["name"] == "reader")
        let old = try await load(server, "v1/mgmt/sso/settings", "tenantId=t1")
        #expect(old.json["idpEntityId"] == "https://idp.example" && old.json["tenantId"] == "t1")
        let mapping: JSONValue = ["tenantId": "t1", "roleMappings": [["groups": ["a", "b"], "roleName": "admin"]]]
        #expect(try await server.manage("sso/mapping", mapping).status == 200)
        #expect(server.services.connections.connections(of: "t1").first?.roles == ["a": "admin", "b": "admin"])
        let redirect: JSONValue = ["tenantId": "t1", "samlRedirectUrl": "https://app.example/x"]
        #expect(try await server.manage("sso/redirect", redirect).status == 200)
        #expect(server.services.connections.connections(of: "t1").first?.defaultRedirect == "https://app.example/x")
        await server.stop()
    }

    @Test func `F-30, F-32, F-43: what would let a tenant speak for others is refused`() async throws {
        let server = try await start()
        #expect(try await configure(server).status == 200)
        #expect(try await configure(server, tenant: "t2").status == 400)
        #expect(try await configure(server, tenant: "t2", domains: ["gmail.com"]).status == 400)
        let flaws: [[String: JSONValue]] = [
            ["userAttrMapping": ["loginId": "upn"]], ["userAttrMapping": ["verifiedEmail": "trusted"]],
            ["userAttrMapping": ["roles": "roles"]], ["grantType": "implicit"], ["usePkce": false],
            ["prompt": ["none"]], ["clientId": .null], ["fgaMappings": ["a": "b"]],
            ["authUrl": "https://login.example/authorize"],
        ]
        for flaw in flaws { #expect(try await configure(server, domains: [], flaw).status == 400, "\(flaw)") }
        #expect(try await configure(server, tenant: "nobody").status == 400)
        let answer = try await server.call("POST", "/v1/mgmt/sso/oidc", bearer: "test", ["tenantId": "t1"])
        #expect(answer.status == 401)
        await server.stop()
    }

    @Test func `F-29: a domain that was only named lets nobody in, until the operator vouches for it`() async throws {
        let fixture = try await FederationFixture.start(
            .person(email: "ceo@corp.example"), [],
            tenants: [Tenant(id: "t1", name: "T1", createdAt: UnixTime(rawValue: 0))])
        let server = fixture.server
        #expect(try await configure(server).status == 200)
        func end() async throws -> String {
            let begun = try await server.call("sso/authorize?tenant=t1", [:])
            let url = try #require(begun.json["url"]?.stringValue)
            let browser = server.browser()
            let gone = try await browser.open(String(url.dropFirst(server.services.project.issuer.count)))
            let id = try #require(server.services.connections.connections(of: "t1").first?.id)
            let back = try await browser.open(
                "/federation/\(id)/callback?state=\(try FederationFixture.handle(gone))&code=c")
            return try #require(back.header("location"))
        }
        #expect(try await end().contains("err=foreign_domain"))
        var vouched = try #require(server.services.connections.connections(of: "t1").first)
        vouched.vouchedDomains = ["corp.example"]
        #expect(try await server.services.connections.save(vouched, isNew: false) == .saved)
        #expect(try await end().contains("code="))
        await server.stop()
    }

    @Test func `F-29: the operator's word for a domain does not pass to another provider`() async throws {
        let fixture = try await FederationFixture.start(
            .person(email: "ceo@corp.example"), [],
            tenants: [Tenant(id: "t1", name: "T1", createdAt: UnixTime(rawValue: 0))])
        let server = fixture.server
        #expect(try await configure(server).status == 200)
        func vouch() async throws {
            var connection = try #require(server.services.connections.connections(of: "t1").first)
            connection.vouchedDomains = ["corp.example"]
            #expect(try await server.services.connections.save(connection, isNew: false) == .saved)
        }
        func vouched() -> [String]? { server.services.connections.connections(of: "t1").first?.vouchedDomains }
        try await vouch()
        #expect(try await configure(server, ["name": "Corp again"]).status == 200)
        #expect(vouched() == ["corp.example"])
        #expect(try await configure(server, ["issuer": "https://evil.example"]).status == 200)
        #expect(vouched() == [])
        await server.stop()
    }
}
