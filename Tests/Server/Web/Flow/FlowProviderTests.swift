import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Flows in web views: providers in the system's browser")
struct FlowProviderTests {
    /// A view at the page from which its app opens the provider.
    private func handoff(
        _ fixture: FederationFixture, _ view: ScriptedBrowser
    ) async throws -> ScriptedBrowser.Screen {
        let login = try await view.open("/login/test?mobile=true&flow=welcome")
        let transaction = try #require(login.hiddenFields.first { $0.name == "transaction" }?.value)
        let page = try await view.open("/federation/acme/start?transaction=\(transaction)")
        #expect(page.page == "flow-provider")
        return page
    }

    private func asked(_ page: ScriptedBrowser.Screen) throws -> JSONValue {
        let text = try #require(page.body.firstMatch(of: #/data-flow-request="([^"]*)"/#)?.1)
        let json = text.replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&amp;", with: "&")
        return try JSONValue(parsing: Array(json.utf8))
    }

    /// The system's browser goes to the provider and back: the code.
    private func code(_ fixture: FederationFixture, _ page: ScriptedBrowser.Screen) async throws -> String {
        let asked = try asked(page)
        #expect(asked["web"]?["type"] == "oauthWeb" && asked["connection"] == "acme")
        let url = try #require(asked["web"]?["payload"]?["startUrl"]?.stringValue)
        let system = fixture.server.browser()
        let gone = try await system.open(url)
        let back = try await fixture.comeBack(system, try FederationFixture.handle(gone))
        let location = try #require(back.header("location"))
        #expect(location.hasPrefix("descopewebauth://redirect?code="), "\(location)")
        return String(location.dropFirst("descopewebauth://redirect?code=".count))
    }

    private func bring(
        _ view: ScriptedBrowser, _ page: ScriptedBrowser.Screen, _ kind: String, _ answer: String
    ) async throws -> ScriptedBrowser.Screen {
        var form = FormParameters()
        for field in page.hiddenFields where !["kind", "answer"].contains(field.name) {
            form.append(field.name, field.value)
        }
        form.append("kind", kind)
        form.append("answer", answer)
        return try await view.post("/flow/provider", form)
    }

    @Test func `a code goes on with the flow, through its other steps`() async throws {
        let fixture = try await FederationFixture.start(project: FlowPages.project)
        let view = fixture.server.browser()
        let page = try await handoff(fixture, view)
        let code = try await code(fixture, page)
        let form = try await bring(view, page, "oauthWeb", #"{"exchangeCode":"\#(code)"}"#)
        #expect(form.page == "journey-step")
        let end = try await view.submit(form, ["field-team": "Red"])
        #expect(end.page == "flow-end")
        let result = try JSONValue(parsing: Array(try await view.submit(end, [:]).body.utf8))
        #expect(result["firstSeen"] == true && result["user"]?["email"] == "jane@provider.example")
        #expect(TestServer.claims(result["sessionJwt"]?.stringValue.map { Secret($0) })["amr"] == ["oauth"])
        await fixture.server.stop()
    }

    @Test func `FW-6, F-15, F-16: a code counts in the flow that began it, once, and at no other call`() async throws {
        let fixture = try await FederationFixture.start(project: FlowPages.project)
        let attacker = fixture.server.browser()
        let stolen = try await code(fixture, try await handoff(fixture, attacker))
        let victim = fixture.server.browser()
        let page = try await handoff(fixture, victim)
        let answer = try await bring(victim, page, "oauthWeb", #"{"exchangeCode":"\#(stolen)"}"#)
        #expect(answer.page == "login" && answer.body.contains("role=\"alert\""))
        #expect(victim.cookieJar["keyturn-session"] == nil)
        let other = try await code(fixture, page)
        for call in ["oauth/exchange", "sso/exchange"] {
            #expect(try await fixture.server.call(call, ["code": .string(other)]).status == 400)
        }
        let once = try await code(fixture, page)
        let body = #"{"exchangeCode":"\#(once)"}"#
        #expect(try await bring(victim, page, "oauthWeb", body).page == "journey-step")
        #expect(try await bring(victim, page, "oauthWeb", body).page == "login")
        let stranger = fixture.server.browser()
        #expect(try await bring(stranger, page, "oauthWeb", body).status == 403)
        await fixture.server.stop()
    }

    @Test(arguments: ["oauthWeb", "oauthNative", "here"])
    func `FW-11: a flow that lets nobody sign up makes no user of a provider's word`(_ way: String) async throws {
        let connection = Connection.scripted().withNativeClient("com.example.app")
        let fixture = try await FederationFixture.start(.person(), [connection], project: FlowPages.projectOfMembers)
        let view = fixture.server.browser()
        let page = try await handoff(fixture, view)
        let last: ScriptedBrowser.Screen
        switch way {
        case "here":
            let gone = try await view.submit(page, ["action": "here"])
            last = try await fixture.comeBack(view, try FederationFixture.handle(gone))
        case "oauthNative":
            let start = try #require(try asked(page)["native"]?["payload"]?["start"])
            let (state, nonce) = (start["stateId"]?.stringValue ?? "", start["nonce"]?.stringValue ?? "")
            last = try await bring(
                view, page, way, #"{"nativeOAuth":{"stateId":"\#(state)","idToken":"\#(nonce)"}}"#)
        default:
            let url = try #require(try asked(page)["web"]?["payload"]?["startUrl"]?.stringValue)
            let system = fixture.server.browser()
            last = try await fixture.comeBack(system, try FederationFixture.handle(try await system.open(url)))
            #expect(last.header("location") == "descopewebauth://redirect?err=unknown_user")
        }
        #expect(last.page == (way == "oauthWeb" ? nil : "login"))
        #expect(try await fixture.holder() == nil)
        #expect(try await fixture.server.account("jane@provider.example") == nil)
        await fixture.server.stop()
    }

    @Test func `a user whom the provider may not vouch for signs in another way first, and is linked`() async throws {
        let profile = FederatedProfile.person(email: TestServer.username, trust: .unverified)
        let fixture = try await FederationFixture.start(profile, project: FlowPages.project)
        let view = fixture.server.browser()
        let page = try await handoff(fixture, view)
        let code = try await code(fixture, page)
        let login = try await bring(view, page, "oauthWeb", #"{"exchangeCode":"\#(code)"}"#)
        #expect(login.page == "login" && login.body.contains("role=\"status\""))
        let form = try await view.submit(
            login, ["username": TestServer.username, "password": TestServer.password])
        #expect(form.page == "journey-step")
        #expect(try await view.submit(form, ["field-team": "Red"]).page == "flow-end")
        #expect(try await fixture.holder() == TestServer.subject)
        await fixture.server.stop()
    }

    @Test func `without an app's code the provider is shown in the same browser`() async throws {
        let fixture = try await FederationFixture.start(project: FlowPages.project)
        let view = fixture.server.browser()
        let page = try await handoff(fixture, view)
        let gone = try await view.submit(page, ["action": "here"])
        let form = try await fixture.comeBack(view, try FederationFixture.handle(gone))
        #expect(form.page == "journey-step")
        #expect(try await view.submit(form, ["field-team": "Red"]).page == "flow-end")
        await fixture.server.stop()
    }

    @Test func `FW-7: a sheet's token goes on with its flow alone`() async throws {
        var connection = Connection.scripted()
        connection = connection.withNativeClient("com.example.app")
        let fixture = try await FederationFixture.start(.person(), [connection], project: FlowPages.project)
        let view = fixture.server.browser()
        let page = try await handoff(fixture, view)
        let start = try #require(try asked(page)["native"]?["payload"]?["start"])
        #expect(start["clientId"] == "com.example.app" && start["implicit"] == true)
        let (state, nonce) = (start["stateId"]?.stringValue ?? "", start["nonce"]?.stringValue ?? "")
        let elsewhere = try await fixture.server.call(
            "oauth/native/finish",
            ["provider": "acme", "stateId": .string(state), "idToken": .string(nonce)])
        #expect(elsewhere.status == 400 && elsewhere.refreshJWT == nil)
        let other = fixture.server.browser()
        let foreign = try await handoff(fixture, other)
        let body = #"{"nativeOAuth":{"stateId":"\#(state)","idToken":"\#(nonce)"}}"#
        #expect(try await bring(other, foreign, "oauthNative", body).page == "login")
        #expect(try await bring(view, page, "oauthNative", body).page == "journey-step")
        #expect(try await bring(view, page, "oauthNative", body).page == "login")
        await fixture.server.stop()
    }

    @Test func `a sheet's token from before the provider's sign-out goes on with nothing`() async throws {
        let connection = Connection.scripted().withNativeClient("com.example.app")
        let fixture = try await FederationFixture.start(.person(), [connection], project: FlowPages.project)
        for (isSignedOut, last) in [(false, "journey-step"), (true, "login"), (false, "journey-step")] {
            let view = fixture.server.browser()
            let page = try await handoff(fixture, view)
            let start = try #require(try asked(page)["native"]?["payload"]?["start"])
            let (state, nonce) = (start["stateId"]?.stringValue ?? "", start["nonce"]?.stringValue ?? "")
            fixture.server.clock.advance(1)
            if isSignedOut {
                try await fixture.server.services.stores.identities.noteSignOut(
                    of: FederatedProfile.person().key(at: "acme"), at: fixture.server.clock.now)
            }
            fixture.server.clock.advance(1)
            let body = #"{"nativeOAuth":{"stateId":"\#(state)","idToken":"\#(nonce)"}}"#
            #expect(try await bring(view, page, "oauthNative", body).page == last)
        }
        await fixture.server.stop()
    }
}

extension Connection {
    /// The same, for an app with a sheet of the provider.
    fileprivate func withNativeClient(_ id: String) -> Connection {
        guard case .openID(var settings) = settings else { return self }
        settings.nativeClientIDs = [id]
        var connection = self
        connection.settings = .openID(settings)
        return connection
    }
}
