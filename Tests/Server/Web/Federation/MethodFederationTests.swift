import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Signing in at a provider by the methods' wire")
struct MethodFederationTests {
    private static let social = "oauth/authorize?provider=acme"

    private static let back = "https://app.example/back?state=S"

    /// Asks for the address to open.
    private func start(
        _ fixture: FederationFixture, _ call: String = "oauth/authorize?provider=acme", _ options: JSONValue = [:],
        redirect: String? = nil, refresh: String? = nil
    ) async throws -> EndpointAnswer {
        let target = FormParameters.percentEncode(redirect ?? Self.back)
        return try await fixture.server.call("\(call)&redirectURL=\(target)", options, refresh: refresh)
    }

    /// The path of our page in an answer.
    private func page(_ fixture: FederationFixture, _ answer: EndpointAnswer) throws -> String {
        let url = try #require(answer.json["url"]?.stringValue, "\(answer.json)")
        let issuer = fixture.server.services.project.issuer
        #expect(url.hasPrefix(issuer + "/federation?ticket="))
        return String(url.dropFirst(issuer.count))
    }

    /// The address with which the browser ends.
    private func pass(
        _ fixture: FederationFixture, _ answer: EndpointAnswer, at connection: String = "acme",
        _ browser: ScriptedBrowser? = nil
    ) async throws -> String {
        let browser = browser ?? fixture.server.browser()
        let gone = try await browser.open(try page(fixture, answer))
        let back = try await browser.open(
            "/federation/\(connection)/callback?state=\(try FederationFixture.handle(gone))&code=c")
        return try #require(back.header("location"))
    }

    private func query(_ address: String) throws -> FormParameters {
        try FormParameters(parsing: String(address.drop { $0 != "?" }.dropFirst()))
    }

    private func code(_ address: String) throws -> JSONValue { .string(try #require(try query(address).one("code"))) }

    @Test func `the browser ends at the app's address with a code, which opens a session once`() async throws {
        let fixture = try await FederationFixture.start()
        let end = try await pass(fixture, try await start(fixture))
        #expect(end.hasPrefix(Self.back + "&code="))
        let answer = try await fixture.server.call("oauth/exchange", ["code": try code(end)])
        #expect(answer.status == 200 && answer.refreshJWT?.isEmpty == false)
        #expect(answer.methods == ["oauth"])
        #expect(answer.json["firstSeen"] == true && answer.json["user"]?["email"] == "jane@provider.example")
        let again = try await fixture.server.call("oauth/exchange", ["code": try code(end)])
        #expect(again.status == 400 && again.errorCode == "E063011")
        await fixture.server.stop()
    }

    @Test func `F-58: of a hundred exchanges of one code one gets a session`() async throws {
        let fixture = try await FederationFixture.start()
        let end = try await pass(fixture, try await start(fixture))
        let code = try code(end)
        let server = fixture.server
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask { try await server.call("oauth/exchange", ["code": code]).status == 200 }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 1)
        await server.stop()
    }

    @Test func `F-58: a code counts for a minute, and only for calls of its kind`() async throws {
        let fixture = try await FederationFixture.start()
        for (seconds, expected) in [(59, 200), (60, 400)] {
            let end = try await pass(fixture, try await start(fixture))
            fixture.server.clock.advance(Int64(seconds))
            #expect(try await fixture.server.call("oauth/exchange", ["code": try code(end)]).status == expected)
        }
        let end = try await pass(fixture, try await start(fixture))
        #expect(try await fixture.server.call("sso/exchange", ["code": try code(end)]).errorCode == "E063011")
        for text in ["", "short", String(repeating: "a", count: 43), String(repeating: "a", count: 4_000)] {
            #expect(try await fixture.server.call("oauth/exchange", ["code": .string(text)]).status == 400)
        }
        await fixture.server.stop()
    }

    @Test func `F-62: a user who is signed out everywhere gets no session for a code from before`() async throws {
        let fixture = try await FederationFixture.start()
        let end = try await pass(fixture, try await start(fixture))
        let user = try #require(try await fixture.holder())
        _ = try await fixture.server.services.stores.grants.endEverything(
            of: user, reason: .logout, at: fixture.server.clock.now)
        #expect(try await fixture.server.call("oauth/exchange", ["code": try code(end)]).errorCode == "E063011")
        await fixture.server.stop()
    }

    @Test(arguments: [
        "https://evil.example/back", "javascript:alert(1)", "//evil.example", "https://evil.example\r\nX: y",
        "http://127.0.0.1.evil.example/",
    ])
    func `F-48: the browser goes to no address that was not approved`(_ address: String) async throws {
        let fixture = try await FederationFixture.start()
        let answer = try await start(fixture, redirect: address)
        #expect(answer.status == 400 && answer.errorCode == "E011004")
        await fixture.server.stop()
    }

    @Test func `an address that holds a code or an err already is refused, and so is none at all`() async throws {
        let fixture = try await FederationFixture.start()
        for name in ["code", "err"] {
            let answer = try await start(fixture, redirect: fixture.server.services.project.issuer + "/b?\(name)=x")
            #expect(answer.errorCode == "E011004")
        }
        #expect(try await fixture.server.call("oauth/authorize?provider=acme", [:]).errorCode == "E011003")
        #expect(try await start(fixture, "oauth/authorize?provider=other").errorCode == "E063012")
        await fixture.server.stop()
    }

    @Test func `F-16, F-17: only the browser that left with the ticket comes back, and once`() async throws {
        let fixture = try await FederationFixture.start()
        let browser = fixture.server.browser()
        let gone = try await browser.open(try page(fixture, try await start(fixture)))
        let callback = "/federation/acme/callback?state=\(try FederationFixture.handle(gone))&code=c"
        #expect(try await fixture.server.browser().open(callback).status == 400)
        let end = try #require(try await browser.open(callback).header("location"))
        #expect(try query(end).one("code") != nil)
        #expect(try await browser.open(callback).status == 400)
        let forged = try page(fixture, try await start(fixture)).replacingOccurrences(of: "ticket=A", with: "ticket=B")
        #expect(try await browser.open(forged + "A").status == 400)
        await fixture.server.stop()
    }

    @Test func `a ticket ends after ten minutes`() async throws {
        let fixture = try await FederationFixture.start()
        let page = try page(fixture, try await start(fixture))
        fixture.server.clock.advance(599)
        #expect(try await fixture.server.browser().open(page).status == 303)
        fixture.server.clock.advance(1)
        #expect(try await fixture.server.browser().open(page).status == 400)
        await fixture.server.stop()
    }

    @Test func `what went wrong comes back as a word, never with a code`() async throws {
        let fixture = try await FederationFixture.start()
        fixture.provider.fails(ConnectionProblem(.cancelled, code: "denied"))
        var end = try query(try await pass(fixture, try await start(fixture)))
        #expect(try end.one("err") == "access_denied" && end.one("state") == "S" && end.one("code") == nil)
        fixture.provider.fails(ConnectionProblem(.refused, code: "signature"))
        end = try query(try await pass(fixture, try await start(fixture)))
        #expect(try end.one("err") == "provider_refused" && end.one("code") == nil)
        await fixture.server.stop()
    }

    @Test func `F-2: an address that may be another user's is not linked, and its account gets no session`()
        async throws
    {
        let fixture = try await FederationFixture.start(.person(email: TestServer.username, trust: .unverified))
        let end = try query(try await pass(fixture, try await start(fixture)))
        #expect(try end.one("err") == "sign_in_required" && end.one("code") == nil)
        #expect(try await fixture.holder() == nil)
        await fixture.server.stop()
    }

    @Test func `F-36: a step-up continues its own user's session, and no other`() async throws {
        let fixture = try await FederationFixture.start()
        let server = fixture.server
        let other = try #require(try await server.signUpByCode("other@example.com").refreshJWT)
        var end = try await pass(fixture, try await start(fixture, Self.social, ["stepup": true], refresh: other))
        #expect(try await server.call("oauth/exchange", ["code": try code(end)]).errorCode == "E011003")
        end = try await pass(fixture, try await start(fixture))
        let own = try #require(try await server.call("oauth/exchange", ["code": try code(end)]).refreshJWT)
        end = try await pass(fixture, try await start(fixture, Self.social, ["stepup": true], refresh: own))
        #expect(try await server.call("oauth/exchange", ["code": try code(end)]).status == 200)
        #expect(try await start(fixture, Self.social, ["stepup": true]).errorCode == "E011003")
        await server.stop()
    }

    @Test(arguments: ["T1", "A", "a.example", "kim@a.example"])
    func `an organisation is found by its tenant, a name, a domain or an address`(_ name: String) async throws {
        let tenant = Tenant(id: "T1", name: "A", createdAt: UnixTime(rawValue: 0))
        let fixture = try await FederationFixture.start(
            .person(email: "kim@a.example"), [.scripted("a-sso", tenant: "T1", domains: ["a.example"])],
            tenants: [tenant])
        let asked = FormParameters.percentEncode(name)
        for family in ["sso", "saml"] {
            let end = try await pass(
                fixture, try await start(fixture, "\(family)/authorize?tenant=\(asked)"), at: "a-sso")
            let answer = try await fixture.server.call("\(family)/exchange", ["code": try code(end)])
            #expect(answer.status == 200 && answer.methods == ["fed"])
        }
        await fixture.server.stop()
    }

    @Test func `F-34: unknown tenants, domains and users have one answer`() async throws {
        let fixture = try await FederationFixture.start()
        var answers: Set<String> = []
        for name in ["T9", "nowhere.example", "no@nowhere.example", FormParameters.percentEncode(TestServer.username)] {
            let answer = try await start(fixture, "sso/authorize?tenant=\(name)")
            answers.insert(
                "\(answer.status) \(answer.errorCode ?? "") \(answer.json["errorMessage"]?.stringValue ?? "")")
        }
        #expect(answers.count == 1 && answers.first?.contains("E011001") == true)
        // A tenant's connection is no social provider.
        #expect(try await start(fixture, "oauth/authorize?provider=a-sso").errorCode == "E063012")
        await fixture.server.stop()
    }
}
