import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Trials of connections")
struct ConnectionTrialTests {
    private func begin(_ fixture: FederationFixture) async throws -> (path: String, trial: String) {
        let answer = try await fixture.server.manage("connection/try", ["id": "acme"])
        let url = try #require(answer.json["url"]?.stringValue)
        return (
            String(url.dropFirst(fixture.server.services.project.issuer.count)),
            try #require(answer.json["trial"]?.stringValue)
        )
    }

    private func result(_ fixture: FederationFixture, _ trial: String) async throws -> JSONValue {
        try await fixture.server.manage("connection/tried", ["trial": .string(trial)]).json
    }

    @Test func `F-64: a trial shows what was said and decided, and makes nothing`() async throws {
        var profile = FederatedProfile.person(groups: ["staff"])
        profile.tokens = ProviderTokens(accessToken: "very-secret-4711")
        let fixture = try await FederationFixture.start(profile)
        let server = fixture.server
        let (path, trial) = try await begin(fixture)
        #expect(try await result(fixture, trial)["outcome"] == "pending")
        let browser = server.browser()
        let handle = try FederationFixture.handle(try await browser.open(path))
        let done = try await fixture.comeBack(browser, handle)
        #expect(done.status == 200 && done.page == "done" && !done.body.contains("jane"))
        let report = try await result(fixture, trial)
        #expect(report["outcome"] == "vouched" && report["decision"] == "create")
        #expect(report["subject"] == "248289761001" && report["email"] == "jane@provider.example")
        #expect(report["groups"] == ["staff"] && report["mapped"]?["name"] == "Jane Doe")
        #expect(!String(decoding: report.serialized, as: UTF8.self).contains("very-secret"))
        #expect(try await server.account("jane@provider.example") == nil)
        #expect(try await fixture.holder() == nil)
        // The browser is not signed in, and the answer counts once.
        #expect(try await server.loginPage(browser).page == "login")
        #expect(try await fixture.comeBack(browser, handle).status == 400)
        await server.stop()
    }

    @Test func `F-64: a known user and a failure are told, also before the connection is turned on`() async throws {
        let fixture = try await FederationFixture.start()
        let server = fixture.server
        #expect(try FederationFixture.hasCode(try await fixture.pass(server.browser())))
        let user = try #require(try await fixture.holder())
        let (path, trial) = try await begin(fixture)
        let browser = server.browser()
        _ = try await fixture.comeBack(browser, try FederationFixture.handle(try await browser.open(path)))
        let report = try await result(fixture, trial)
        #expect(report["decision"] == "sign_in" && report["user"] == .string(user.rawValue))
        fixture.provider.fails(ConnectionProblem(.refused, code: "signature"))
        let (second, other) = try await begin(fixture)
        _ = try await fixture.comeBack(browser, try FederationFixture.handle(try await browser.open(second)))
        #expect(
            try await result(fixture, other) == ["connection": "acme", "outcome": "failed", "problem": "signature"])
        await server.stop()
    }

    @Test func `F-64: a trial is the browser's that began it, and its result the operator's`() async throws {
        let fixture = try await FederationFixture.start()
        let server = fixture.server
        let (path, trial) = try await begin(fixture)
        let handle = try FederationFixture.handle(try await server.browser().open(path))
        #expect(try await fixture.comeBack(server.browser(), handle).status == 400)
        #expect(try await result(fixture, trial)["outcome"] == "pending")
        #expect(try await result(fixture, handle)["outcome"] == "pending")
        #expect(try await server.browser().open("/federation/other/try?ticket=x").status == 400)
        let open = try await server.call("POST", "/v1/mgmt/connection/tried", bearer: "test", ["trial": .string(trial)])
        #expect(open.status == 401)
        await server.stop()
    }
}
