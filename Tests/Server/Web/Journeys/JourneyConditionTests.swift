import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Conditions of journeys, on the pages")
struct JourneyConditionTests {
    @Test(arguments: [
        (#"{"plan":"team"}"#, true), (#"{"plan":3}"#, true), (#"{"plan":true,"other":"x"}"#, true),
        (#"{"plan":"solo"}"#, false), ("{}", false), (nil, false),
    ])
    func `what the app says leads to a step`(_ inputs: String?, _ isAsked: Bool) async throws {
        let fixture = try await JourneyFixture.start([.conditional])
        let browser = fixture.server.browser()
        let page = try await fixture.passPassword(
            try await fixture.open("conditional", browser, inputs: inputs), browser)
        #expect((page.page == "journey-step") == isAsked)
        if isAsked {
            // The next sign-in says the same, and has nothing left to ask.
            #expect(try FederationFixture.hasCode(try await browser.submit(page, ["field-size": "3"])))
            #expect(try FederationFixture.hasCode(try await fixture.open("conditional", browser, inputs: inputs)))
        }
        await fixture.server.stop()
    }

    @Test func `a session that did not hear of it is asked`() async throws {
        let fixture = try await JourneyFixture.start([.conditional])
        let browser = fixture.server.browser()
        let first = try await fixture.passPassword(try await fixture.open("conditional", browser), browser)
        #expect(try FederationFixture.hasCode(first))
        let asked = try await fixture.open("conditional", browser, inputs: #"{"plan":"team"}"#)
        #expect(asked.page == "journey-step")
        await fixture.server.stop()
    }

    @Test(arguments: [
        "team", "[1]", #"{"plan":["team"]}"#, #"{"plan":null}"#, #"{"plan":"a","plan":"b"}"#,
        #"{"plan":"\#(String(repeating: "x", count: 1024))"}"#,
    ])
    func `inputs of another shape are an error of the request`(_ inputs: String) async throws {
        let fixture = try await JourneyFixture.start([.conditional])
        let refused = try await fixture.open("conditional", fixture.server.browser(), inputs: inputs)
        #expect(try fixture.error(refused) == .invalidRequest)
        await fixture.server.stop()
    }

    @Test func `J-8: inputs stand for no proof: another app's words open nothing that the methods did not`()
        async throws
    {
        let fixture = try await JourneyFixture.start([.conditional, .withoutPassword])
        let browser = fixture.server.browser()
        let inputs = #"{"sub":"\#(TestServer.subject.rawValue)","amr":"email","isProven":true}"#
        let page = try await fixture.open("without-password", browser, inputs: inputs)
        #expect(page.page == "login" && browser.cookieJar["keyturn-session"] == nil)
        let typed = try await fixture.passPassword(page, browser)
        #expect(typed.page == "login" && browser.cookieJar["keyturn-session"] == nil)
        await fixture.server.stop()
    }

    @Test func `a member of a tenant is asked, and nobody else`() async throws {
        let fixture = try await JourneyFixture.start([.conditional])
        let outside = fixture.server.browser()
        #expect(
            try FederationFixture.hasCode(
                try await fixture.passPassword(try await fixture.open("conditional", outside), outside)))
        try await fixture.join(["north"])
        let asked = try await fixture.open("conditional", outside)
        #expect(asked.page == "journey-step" && asked.body.contains("https://example.com/north"))
        await fixture.server.stop()
    }

    @Test func `the age of the verification counts when the request came`() async throws {
        let fixture = try await JourneyFixture.start([.conditional])
        let browser = fixture.server.browser()
        #expect(
            try FederationFixture.hasCode(
                try await fixture.passPassword(try await fixture.open("conditional", browser), browser)))
        fixture.server.clock.advance(600)
        #expect(try FederationFixture.hasCode(try await fixture.open("conditional", browser)))
        fixture.server.clock.advance(1)
        #expect(try await fixture.open("conditional", browser).page == "journey-step")
        await fixture.server.stop()
    }
}
