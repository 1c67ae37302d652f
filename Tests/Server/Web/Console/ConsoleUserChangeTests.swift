import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Console: changes to a user")
struct ConsoleUserChangeTests {
    private static let path = "/admin/users/user/change"
    private static let andy = TestServer.subject.rawValue
    private static let page = "\(path)?id=\(andy)"

    /// A server, an operator's browser, and what sends a form of the page.
    private func begin() async throws -> (TestServer, ScriptedBrowser) {
        let server = try await TestServer.start()
        return (server, try await server.console(as: .operator))
    }

    private func send(_ fields: KeyValuePairs<String, String>, _ server: TestServer, _ browser: ScriptedBrowser)
        async throws -> ScriptedBrowser.Screen
    {
        let page = try await browser.open(Self.page)
        #expect(page.status == 200 && page.page == "admin-user-change")
        let mark: String = try #require(page.mark(of: Self.path))
        var form = FormParameters(["csrf": mark, "id": Self.andy])
        for (name, value) in fields { form.append(name, value) }
        return try await browser.post(Self.path, form)
    }

    @Test func `the profile is saved; a new address is not verified, and the login ID goes along`() async throws {
        let (server, browser) = try await begin()
        let done = try await send(
            [
                "action": "profile", "displayName": "Andreas", "givenName": "", "familyName": "Rhoads",
                "email": "new@example.com", "phone": "",
            ], server, browser)
        #expect(done.hasNotice && done.body.contains("value=\"Andreas\""))
        let changed = try #require(try await server.services.stores.users.account(TestServer.subject))
        #expect(changed.user.displayName == "Andreas" && changed.user.claims["given_name"] == nil)
        #expect(changed.email == "new@example.com" && !changed.isEmailVerified && changed.phone == nil)
        #expect(changed.identifiers.map(\.key.value) == ["new@example.com"])
        #expect(changed.passwordHash != nil)
        let event = try #require(try await server.newestEvent(.userUpdated))
        #expect(event.actor == (try await server.account(TestServer.operatorName))?.user.id.rawValue)
        #expect(try await server.messages(.addressRemoved).map(\.to) == [TestServer.username])
        let wrong = try await send(
            ["action": "profile", "displayName": "X", "email": "no address"], server, browser)
        #expect(wrong.status == 422 && wrong.hasProblem && wrong.body.contains("value=\"no address\""))
        let taken = try await send(["action": "profile", "email": TestServer.operatorName], server, browser)
        #expect(taken.status == 422)
        await server.stop()
    }

    @Test func `login IDs are added and removed, but not the last one or another user's`() async throws {
        let (server, browser) = try await begin()
        _ = try await send(["action": "add-login-id", "loginId": "Andy"], server, browser)
        _ = try await send(["action": "add-login-id", "loginId": "second@example.com"], server, browser)
        let account = try #require(try await server.account("andy"))
        #expect(account.user.id == TestServer.subject && account.identifiers.count == 3)
        #expect(account.identifiers[try #require(Identifier(loginID: "second@example.com"))] == .unverified)
        let taken = try await send(["action": "add-login-id", "loginId": TestServer.operatorName], server, browser)
        #expect(taken.status == 422 && taken.body.contains("value=\"\(TestServer.operatorName)\""))
        for name in ["second@example.com", TestServer.username] {
            _ = try await send(["action": "remove-login-id", "loginId": name], server, browser)
        }
        let last = try await send(["action": "remove-login-id", "loginId": "andy"], server, browser)
        #expect(last.status == 422)
        #expect(try await server.account("andy")?.identifiers.count == 1)
        #expect(try await server.newestEvent(.init(rawValue: "user.login_id"))?.actor != nil)
        await server.stop()
    }

    @Test func `roles are set in the project and in a tenant`() async throws {
        let (server, browser) = try await begin()
        _ = try await server.manage("tenant/create", ["id": "t1", "name": "One"])
        for name in ["editor", "reader"] { _ = try await server.manage("role/create", ["name": .string(name)]) }
        _ = try await server.manage("role/create", ["name": "boss", "tenantId": "t1"])
        func names(_ account: Account?) -> ([String], [String]?) {
            let memberships = account?.memberships ?? .none
            return (
                server.services.directory.names(of: memberships.roles),
                memberships.tenants["t1"].map(server.services.directory.names)
            )
        }
        _ = try await send(["action": "join", "tenant": "t1"], server, browser)
        _ = try await send(["action": "roles", "role": "editor"], server, browser)
        let done = try await send(
            ["action": "roles", "tenant": "t1", "role": "boss", "role": "reader"], server, browser)
        #expect(done.hasNotice && done.body.matches(of: #/value="boss" checked/#).count == 1)
        let account = try await server.account(TestServer.username)
        #expect(names(account).0 == ["editor"] && names(account).1 == ["boss", "reader"])
        #expect(try await server.newestEvent(.userRolesChanged)?.actor != nil)
        let shown = try await browser.open("/admin/users/user?id=\(Self.andy)")
        #expect(shown.body.contains("One: boss, reader"))
        _ = try await send(["action": "roles"], server, browser)
        _ = try await send(["action": "leave", "tenant": "t1"], server, browser)
        let left = try await server.account(TestServer.username)
        #expect(names(left).0 == [] && names(left).1 == nil)
        await server.stop()
    }

    @Test func `a user is deleted only if the login ID is typed`() async throws {
        let (server, browser) = try await begin()
        for wrong in ["", "delete", TestServer.operatorName] {
            #expect(try await send(["action": "delete", "confirm": wrong], server, browser).status == 422)
        }
        let done = try await send(["action": "delete", "confirm": "ANDY@example.com"], server, browser)
        #expect(done.page == "admin-users" && done.hasNotice)
        #expect(try await server.account(TestServer.username) == nil)
        #expect(try await server.newestEvent(.userDeleted)?.actor != nil)
        await server.stop()
    }

    @Test func `another account of the same user is merged into this one`() async throws {
        let (server, browser) = try await begin()
        try await server.addBea()
        let unverified = try await send(["action": "merge", "other": "nobody@example.com"], server, browser)
        #expect(unverified.status == 422)
        let done = try await send(["action": "merge", "other": "bea@example.com"], server, browser)
        #expect(done.page == "admin-user" && done.hasNotice)
        let merged = try #require(try await server.account("bea@example.com"))
        #expect(merged.user.id == TestServer.subject && merged.identifiers.count == 2)
        let event = try #require(try await server.newestEvent(.userMerged))
        #expect(event.target == "22222222-2222-4222-8222-222222222222" && event.actor != nil)
        await server.stop()
    }

    @Test func `who may act as users gets a token once, and nobody else does`() async throws {
        let (server, browser) = try await begin()
        let refused = try await send(["action": "impersonate"], server, browser)
        #expect(refused.status == 422 && !refused.body.contains("value=\"impersonate\""))
        _ = try await server.manage("permission/create", ["name": .string(DescopeSessions.impersonation)])
        _ = try await server.manage(
            "role/create", ["name": "agent", "permissionNames": [.string(DescopeSessions.impersonation)]])
        _ = try await server.manage(
            "user/update/role/set", ["loginId": .string(TestServer.operatorName), "roleNames": ["agent"]])
        let shown = try await send(["action": "impersonate"], server, browser)
        #expect(shown.page == "admin-impersonation" && shown.header("cache-control") == "no-store")
        let token = try #require(shown.body.firstMatch(of: #/id="token">([^<]+)</#).map { String($0.1) })
        #expect(try await server.call("refresh", [:], refresh: token).status == 200)
        let event = try #require(try await server.newestEvent(.sessionImpersonated))
        #expect(event.userID == TestServer.subject && event.actor != nil && event.actor == event.reason)
        await server.stop()
    }
}
