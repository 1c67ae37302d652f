import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("The end of a recovery")
struct RecoveryEndTests {
    @Test func `the link of the message cancels when its button is pressed, and not when it is opened`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        try await server.beginRecovery()
        let link = try await server.cancelLink()
        #expect(link.hasPrefix("/recovery/cancel?t="))
        let browser = server.browser()
        for _ in 0..<3 { #expect(try await browser.open(link).page == "recovery-cancel") }
        let page = try await browser.open(link)
        #expect(try await server.recovery() != nil)
        let foreign = server.browser()
        _ = try await foreign.open(link)
        #expect(try await foreign.submit(page, [:]).status == 403)
        #expect(try await server.recovery() != nil)

        let done = try await browser.submit(page, [:])
        #expect(done.page == "done" && done.body.contains("/settings/password"))
        #expect(try await server.recovery() == nil)
        #expect(try await server.recoveryEnds() == ["link"])
        #expect(try await browser.open(link).page == "done")
        #expect(try await browser.submit(page, [:]).page == "done")
        #expect(try await server.recoveryEnds() == ["link"], "once")

        let refused = try await server.beginRecovery()
        #expect(refused.status == 429 && refused.page == "lost-factor" && refused.header("retry-after") != nil)
        #expect(try await server.messages(.recoveryBegun).count == 1)
        server.clock.advance(Limits.recoveryPauseSeconds)
        #expect(try await server.beginRecovery().page == "lost-factor-step")
        #expect(try await browser.open(link).page == "recovery-cancel", "an old link is no link any more")
        #expect(try await server.recovery() != nil)
        await server.stop()
    }

    @Test(arguments: [
        ("password", "credential_changed"), ("management", "administrator"), ("authenticator", "factor_used"),
        ("recovery code", "factor_used"), ("passkey", "factor_used"), ("removed", "factors_changed"),
        ("disabled", "user_disabled"),
    ])
    func `whatever shows that it is not wanted ends it, and is written down`(_ way: String, _ reason: String)
        async throws
    {
        let server = try await TestServer.startWithPasskeys()
        let authenticator = try await server.giveAuthenticator()
        var device = PasskeyDevice(server)
        if way == "passkey" { try await server.givePasskey(on: &device) }
        let codes = try await server.services.methods.recoveryCodes.make(for: TestServer.subject)
        try await server.beginRecovery()
        #expect(try await server.recovery() != nil)
        let name = JSONValue.string(TestServer.username)
        switch way {
        case "password":
            let body: JSONValue = ["loginId": name, "password": "another-fine-phrase"]
            #expect(try await server.manage("user/password/set/active", body).status == 200)
        case "management":
            #expect(try await server.manage("user/logout", ["loginId": name]).status == 200)
        case "removed":
            #expect(try await server.manage("user/totp/delete", ["loginId": name]).status == 200)
        case "disabled":
            let body: JSONValue = ["loginId": name, "status": "disabled"]
            #expect(try await server.manage("user/update/status", body).status == 200)
        case "passkey":
            #expect(try await device.press(try await server.loginPage(device.browser)).status == 303)
        case "recovery code":
            let browser = server.browser()
            let ways = try await browser.submit(try await server.secondFactorPage(browser), ["action": "other"])
            let paper = try await browser.submit(ways, ["method": "recovery"])
            #expect(try await browser.submit(paper, ["code": codes[0].exposed()]).status == 303)
        default:
            let browser = server.browser()
            let page = try await server.secondFactorPage(browser)
            let done = try await browser.submit(page, ["code": authenticator.code(at: server.clock.now).exposed()])
            #expect(done.status == 303)
        }
        #expect(try await server.recovery() == nil)
        #expect(try await server.recoveryEnds() == [reason])
        let link = try await server.cancelLink()
        #expect(try await server.browser().open(link).page == "recovery-cancel")
        await server.stop()
    }

    @Test func `86: two pages that remove at the same moment do so once`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        try await server.beginRecovery()
        server.clock.advance(Limits.recoveryDelaySeconds)
        var pages: [(browser: ScriptedBrowser, page: ScriptedBrowser.Screen)] = []
        for _ in 0..<4 {
            let browser = server.browser()
            pages.append((browser, try await server.proveLoss(browser, try await server.secondFactorPage(browser))))
        }
        #expect(pages.allSatisfy { $0.page.url.contains("/login/lost/remove") })
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for (browser, page) in pages {
                group.addTask { try await browser.submit(page, ["action": "remove"]).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.sorted() == [303, 400, 400, 400])
        #expect(try await server.messages(.recoveryFinished).count == 1)
        #expect(pages.count { $0.browser.cookieJar["keyturn-session"] != nil } == 1)
        await server.stop()
    }

    @Test func `one that is not finished within a week is over, and begins anew`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        try await server.beginRecovery()
        let first = try #require(try await server.recovery())
        let link = try await server.cancelLink()
        server.clock.advance(first.expiresAt.seconds(since: server.clock.now))
        #expect(try await server.recovery() == nil)
        #expect(try await server.browser().open(link).page == "recovery-cancel")
        #expect(try await server.beginRecovery().url.contains("/login/lost/waiting"))
        #expect(try await server.recovery()?.begunAt != first.begunAt)
        #expect(try await server.messages(.recoveryBegun).count == 2)
        await server.stop()
    }

    @Test
    func `a clock that is set back makes nothing ready earlier, and one that was ahead does not lock the user out`()
        async throws
    {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        server.clock.jump(5 * 86_400)
        try await server.beginRecovery()
        server.clock.jump(-5 * 86_400)
        #expect(try await server.recovery() == nil)
        #expect(try await server.beginRecovery().url.contains("/login/lost/waiting"))
        let recovery = try #require(try await server.recovery())
        #expect(recovery.readyAt >= server.clock.now + Limits.recoveryDelaySeconds - 10)
        server.clock.jump(-60)
        #expect(try await server.recovery() == recovery)
        server.clock.jump(60)
        server.clock.advance(Limits.recoveryDelaySeconds)
        #expect(try await server.beginRecovery().url.contains("/login/lost/remove"))
        await server.stop()
    }
}
