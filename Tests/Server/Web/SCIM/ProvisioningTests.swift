import Identity
import KeyturnBase
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Provisioning by SCIM")
struct ProvisioningTests {
    @Test func `M-14: a user is made without a password, found, changed and removed`() async throws {
        let server = try await TestServer.start()
        let directory = try await Directory.of("t1", at: server)
        let none = try await directory.send("GET", "/Users?filter=userName%20eq%20%22kim%22&startIndex=1&count=100")
        #expect(none.status == 200 && none.json["totalResults"] == 0 && none.json["Resources"] == [])
        let made = try await directory.send(
            "POST", "/Users",
            [
                "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "Kim", "externalId": "x1",
                "password": "never-kept-anywhere", "name": ["givenName": "Kim"], "active": true,
            ])
        #expect(made.status == 201 && !made.body.contains("never-kept"))
        let id = try #require(made.json["id"]?.stringValue)
        #expect(made.headers["location"] == "\(server.issuer)/scim/v2/Users/\(id)")
        #expect(made.headers["etag"] == "W/\"1\"" && made.json["meta"]?["version"] == "W/\"1\"")
        let again = try await directory.send("POST", "/Users", ["userName": "kIM"])
        #expect(again.status == 409 && again.json["scimType"] == "uniqueness" && again.json["status"] == "409")
        let found = try await directory.send("GET", "/Users?filter=userName+eq+%22kim%22")
        #expect(found.json["totalResults"] == 1 && found.json["Resources"]?.arrayValue?.first?["id"] == .string(id))
        let put = try await directory.send("PUT", "/Users/\(id)", ["userName": "kim2", "title": "Captain"])
        #expect(put.status == 200 && put.json["title"] == "Captain" && put.json["name"] == nil)
        #expect(put.json["active"] == true && put.headers["etag"] == "W/\"2\"")
        let late = try await directory.send(
            "PUT", "/Users/\(id)", ["userName": "kim3"], headers: [("If-Match", "W/\"1\"")])
        #expect(late.status == 412)
        let known = try await directory.send("GET", "/Users/\(id)", headers: [("If-None-Match", "W/\"2\"")])
        #expect(known.status == 304 && known.body.isEmpty)
        #expect(try await directory.send("DELETE", "/Users/\(id)", headers: [("If-Match", "W/\"1\"")]).status == 412)
        #expect(try await directory.send("DELETE", "/Users/\(id)").status == 204)
        for method in ["GET", "PUT", "PATCH", "DELETE"] {
            let body: JSONValue = ["userName": "k", "Operations": [["op": "add", "path": "title", "value": "x"]]]
            let gone = try await directory.send(method, "/Users/\(id)", ["PUT", "PATCH"].contains(method) ? body : nil)
            #expect(gone.status == 404 && gone.json["status"] == "404", "M-17: \(method)")
        }
        let anew = try await directory.send("POST", "/Users", ["userName": "kim2", "externalId": "x1"])
        #expect(anew.status == 201 && anew.json["id"] != .string(id), "M-3: a new identifier")
        await server.stop()
    }

    @Test("M-1, M-2, M-5: inactive in any spelling ends every session; only a proven domain makes a login ID")
    func deactivation() async throws {
        let server = try await TestServer.start()
        let directory = try await Directory.of("t1", at: server, domains: ["a.example"])
        let id = try await directory.user(
            "kim@a.example", ["emails": [["value": "kim@a.example", "type": "work", "primary": true]]])
        _ = try await directory.user("eve@b.example", ["emails": [["value": "eve@b.example", "primary": true]]])
        #expect(try await server.account("eve@b.example") == nil)
        let account = try #require(try await server.account("kim@a.example"))
        #expect(account.isEmailVerified && account.memberships.tenants["t1"] != nil)
        for value in ["False", "false", "FALSE"] {
            let session = try await server.signInByCode("kim@a.example")
            let refresh = try #require(session.refreshJWT, "\(session.body)")
            #expect(try await server.call("refresh", [:], refresh: refresh).status == 200)
            let off = try await directory.patch(
                "/Users/\(id)", ["op": "Replace", "path": "active", "value": .string(value)])
            #expect(off.status == 200 && off.json["active"] == false)
            #expect(try await server.call("refresh", [:], refresh: refresh).status == 401)
            #expect(try await server.signInByCodeIsRefused("kim@a.example"))
            let seen = try await directory.send("GET", "/Users?filter=userName%20eq%20%22kim@a.example%22")
            #expect(seen.json["Resources"]?.arrayValue?.first?["active"] == false, "disabled users stay visible")
            let on = try await directory.patch("/Users/\(id)", ["op": "replace", "value": ["active": true]])
            #expect(on.json["active"] == true)
            #expect(try await server.call("refresh", [:], refresh: refresh).status == 401, "nothing old revives")
        }
        await server.stop()
    }

    @Test("M-6: a token of one tenant sees nothing of another, and the answers are those for unknown identifiers")
    func isolation() async throws {
        let server = try await TestServer.start()
        let one = try await Directory.of("t1", at: server)
        let other = try await Directory.of("t2", at: server)
        let user = try await one.user("kim")
        let group = try await one.group("staff", members: [user])
        func same(_ method: String, _ kind: String, _ id: String, _ body: JSONValue?) async throws {
            let foreign = try await other.send(method, "/\(kind)/\(id)", body)
            let unknown = try await other.send(method, "/\(kind)/00000000-0000-4000-8000-000000000000", body)
            #expect(foreign.status == 404 && foreign.body == unknown.body, "\(method) \(kind)")
        }
        let patch: JSONValue = ["Operations": [["op": "replace", "value": ["displayName": "evil"]]]]
        for (kind, id) in [("Users", user), ("Groups", group)] {
            try await same("GET", kind, id, nil)
            try await same("PUT", kind, id, ["userName": "evil", "displayName": "evil"])
            try await same("PATCH", kind, id, patch)
            try await same("DELETE", kind, id, nil)
            let list = try await other.send("GET", "/\(kind)?filter=id%20eq%20%22\(id)%22")
            #expect(list.json["totalResults"] == 0)
        }
        #expect(try await other.send("POST", "/.search", ["filter": "id pr"]).json["totalResults"] == 0)
        let member = try await other.send(
            "POST", "/Groups", ["displayName": "mine", "members": [["value": .string(user)]]])
        #expect(member.status == 400 && member.json["scimType"] == "invalidValue")
        let bulk = try await other.send(
            "POST", "/Bulk",
            ["Operations": [["method": "DELETE", "path": .string("/Users/\(user)")]]])
        #expect(bulk.json["Operations"]?.arrayValue?.first?["status"] == "404")
        #expect(try await one.send("GET", "/Users/\(user)").json["userName"] == "kim")
        #expect(try await one.send("GET", "/Groups/\(group)").json["displayName"] == "staff")
        await server.stop()
    }

    @Test(
        "M-15: a user who may sign in without the connection is deactivated, and the audit log warns",
        arguments: [true, false])
    func exclusion(_ isDeletion: Bool) async throws {
        let server = try await TestServer.start()
        let directory = try await Directory.of("t1", at: server)
        let (lost, other) = (try await directory.user("admin"), try await directory.user("other"))
        let record = try #require(
            try await server.services.stores.provisioned.resource(lost, .user, in: "t1"))
        let account = try #require(record.userID)
        var tenant = try #require(server.services.directory.tenant("t1"))
        (tenant.requiresSingleSignOn, tenant.singleSignOnExclusions) = (true, [account.rawValue])
        try await server.services.stores.tenants.update(tenant)
        try await server.services.directory.reload()
        for id in [other, lost] {
            let answer =
                isDeletion
                ? try await directory.send("DELETE", "/Users/\(id)")
                : try await directory.patch("/Users/\(id)", ["op": "replace", "path": "active", "value": false])
            #expect(answer.status < 300)
        }
        _ = try await server.services.auditLog.flush()
        let warned = try await server.services.stores.audit.search(AuditQuery())
            .filter { $0.kind == .singleSignOnExclusionLost }
        #expect(warned.map(\.userID) == [account] && warned.first?.target == "t1")
        await server.stop()
    }

    @Test("M-16: the token opens no other interface, and none of theirs opens this one") func tokens() async throws {
        let server = try await TestServer.start()
        let directory = try await Directory.of("t1", at: server)
        let userInfo = try await server.get("/oauth2/userinfo", token: directory.token)
        #expect(userInfo.status == 401)
        let management = try await server.get("/v1/mgmt/tenant/all", token: "test:\(directory.token)")
        #expect(management.status == 401)
        for token in [TestServer.managementKey, "test:\(TestServer.managementKey)", try await server.accessToken(), ""]
        {
            let answer = try await server.get("/scim/v2/Users", token: token)
            #expect(answer.status == 401 && answer.json["status"] == "401")
        }
        #expect(try await server.services.stores.provisioningTokens.revoke("token of t1", of: "t1"))
        #expect(try await directory.send("GET", "/Users").status == 401)
        await server.stop()
    }

    @Test("M-19: members removed by a list of values are those alone; M-7, M-11: foreign ones and too many are refused")
    func members() async throws {
        let server = try await TestServer.start()
        let directory = try await Directory.of("t1", at: server)
        var users: [String] = []
        for number in 0..<3 { users.append(try await directory.user("u\(number)")) }
        let group = try await directory.group("staff", members: users)
        func members() async throws -> [String] {
            try await directory.send("GET", "/Groups/\(group)").json["members"]?.arrayValue?
                .compactMap { $0["value"]?.stringValue } ?? []
        }
        let removed = try await directory.patch(
            "/Groups/\(group)",
            ["op": "Remove", "path": "members", "value": [["$ref": .null, "value": .string(users[0])]]])
        #expect(removed.status == 204 && removed.body.isEmpty)
        #expect(try await members() == [users[1], users[2]])
        let one = try await directory.patch(
            "/Groups/\(group)", ["op": "remove", "path": .string("members[value eq \"\(users[1])\"]")])
        #expect(one.status == 204)
        #expect(try await members() == [users[2]])
        let foreign = try await directory.patch(
            "/Groups/\(group)",
            ["op": "add", "path": "members", "value": [["value": .string(users[0])], ["value": "nobody"]]])
        #expect(foreign.status == 400 && foreign.json["scimType"] == "invalidValue")
        #expect(try await members() == [users[2]], "all or nothing")
        let operations = [JSONValue](repeating: ["op": "add", "path": "displayName", "value": "x"], count: 1_001)
        let many = try await directory.send("PATCH", "/Groups/\(group)", ["Operations": .array(operations)])
        #expect(many.status == 413)
        let shown = try await directory.send("GET", "/Users/\(users[2])")
        #expect(shown.json["groups"]?.arrayValue?.first?["display"] == "staff")
        #expect(
            try await directory.send("GET", "/Groups?excludedAttributes=members").json["Resources"]?
                .arrayValue?.first?["members"] == nil)
        #expect(try await directory.send("POST", "/Groups", ["displayName": "STAFF"]).status == 409, "M-22")
        await server.stop()
    }
}

extension TestServer {
    /// Whether an address gets no session by a code: there is no code, or it opens nothing.
    fileprivate func signInByCodeIsRefused(_ email: String) async throws -> Bool {
        let before = try await messageCount(to: email)
        let asked = try await call("otp/signin/email", ["loginId": .string(email)])
        if try await messageCount(to: email) == before { return asked.refreshJWT == nil }
        guard let code = try await message(to: email).code else { return true }
        let answer = try await call("otp/verify/email", ["loginId": .string(email), "code": .string(code)])
        return answer.refreshJWT == nil
    }
}
