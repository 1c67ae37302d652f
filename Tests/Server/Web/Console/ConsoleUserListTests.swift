import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Console: the users")
struct ConsoleUserListTests {
    private func names(_ screen: ScriptedBrowser.Screen) -> [String] {
        screen.body.matches(of: #/<a href="\/admin\/users\/user\?id=[^"]+">([^<]*)<\/a>/#).map { String($0.1) }
    }

    @Test func `users are found by part of a name, by a login ID and by their identifier`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.console(as: .viewer)
        let ozlem = try await server.made("o@example.com", claims: ["name": "Özlem Über-Öz"])
        try await server.made("anna.long@example.com", claims: ["name": "Anna"])
        try await server.made("anna", claims: ["name": "Someone Else", "email": .null])
        try await server.made("anna.more@example.com", claims: ["name": "Anna"])
        for (text, found) in [
            ("özlem", ["Özlem Über-Öz"]), ("über-öz", ["Özlem Über-Öz"]), ("O@example", ["Özlem Über-Öz"]),
            ("anna", ["Someone Else", "Anna", "Anna"]), (ozlem.user.id.rawValue, ["Özlem Über-Öz"]), ("nobody", []),
        ] {
            let query = FormParameters(["text": text]).encoded
            let page = try await browser.open("/admin/users?\(query)")
            #expect(page.status == 200 && names(page) == found, "\(text)")
        }
        let all = try await browser.open("/admin/users")
        #expect(all.body.contains("6 users") && names(all).first == "Anna", "the newest first")
        #expect(!all.body.contains("/admin/users/new"), "a viewer makes nobody")
        await server.stop()
    }

    @Test func `what is not seen in a name stands as its code point`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.console(as: .operator)
        let user = try await server.made(
            "o@example.com", claims: ["name": "Andy\u{200B} Rhoads", "family_name": "\u{202E}sdaohR"])
        let all = try await browser.open("/admin/users")
        #expect(names(all).contains("Andy[U+200B] Rhoads"))
        let page = try await browser.open("/admin/users/user?id=\(user.user.id.rawValue)")
        #expect(page.body.contains("Andy[U+200B] Rhoads") && page.body.contains("[U+202E]sdaohR"))
        await server.stop()
    }

    @Test func `they are narrowed down by status, tenant and role, and every page keeps that`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.console(as: .operator)
        _ = try await server.manage("tenant/create", ["id": "t1", "name": "One & Only"])
        _ = try await server.manage("role/create", ["name": "editor"])
        for number in 0..<52 {
            _ = try await server.manage(
                "user/create",
                [
                    "loginId": .string("u\(number)@example.com"), "status": number == 0 ? "disabled" : "enabled",
                    "userTenants": [["tenantId": "t1", "roleNames": number == 1 ? ["editor"] : []]],
                ])
        }
        let disabled = try await browser.open("/admin/users?status=disabled")
        #expect(names(disabled) == ["u0@example.com"])
        let role = try #require(server.services.directory.role(named: "editor", in: nil)?.id)
        #expect(names(try await browser.open("/admin/users?role=\(role)")) == ["u1@example.com"])
        let tenant = try await browser.open("/admin/users?tenant=t1&status=active")
        #expect(names(tenant).count == 50 && tenant.body.contains("51 users") && tenant.body.contains("1 to 50 of 51"))
        #expect(tenant.body.contains("One &amp; Only"))
        #expect(tenant.body.contains("status=active&amp;tenant=t1&amp;page=1"))
        let second = try await browser.open("/admin/users?status=active&tenant=t1&page=1")
        #expect(names(second) == ["u1@example.com"] && second.body.contains("51 to 51 of 51"))
        await server.stop()
    }

    @Test func `a user is made, with or without an invitation`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.console(as: .operator)
        let page = try await browser.open("/admin/users/new")
        let made = try await server.act(
            page, at: "/admin/users/new", in: browser,
            ["loginId": "cleo@example.com", "displayName": "Cleo", "invite": "true", "action": "create"])
        #expect(made.page == "admin-user" && made.hasNotice && made.body.contains("Invited"))
        #expect(try await server.messages(.invitation).map(\.to) == ["cleo@example.com"])
        let cleo = try #require(try await server.account("cleo@example.com"))
        #expect(cleo.user.status == .invited && cleo.user.displayName == "Cleo")
        let event = try #require(try await server.newestEvent(.userInvited))
        let olga = try #require(try await server.account(TestServer.operatorName))
        #expect(event.actor == olga.user.id.rawValue && event.userID == cleo.user.id && event.address == "127.0.0.1")
        let again = try await server.act(
            made, at: "/admin/users/user", in: browser, ["id": cleo.user.id.rawValue, "action": "invite"])
        #expect(again.hasNotice)
        #expect(try await server.messages(.invitation).count == 2)
        let plain = try await server.act(
            page, at: "/admin/users/new", in: browser, ["loginId": "dora", "action": "create"])
        #expect(plain.page == "admin-user")
        #expect(try await server.account("dora")?.user.status == .active)
        for (loginID, invite) in [("dora", "false"), ("emil", "true"), ("", "false")] {
            let refused = try await server.act(
                page, at: "/admin/users/new", in: browser,
                ["loginId": loginID, "displayName": "<b>", "invite": invite, "action": "create"])
            #expect(refused.status == 422 && refused.hasProblem && refused.body.contains("value=\"&lt;b&gt;\""))
        }
        #expect(try await server.account("emil") == nil)
        let support = try await server.console(as: .support, name: "sam@example.com")
        #expect(try await support.open("/admin/users/new").status == 403)
        await server.stop()
    }
}
