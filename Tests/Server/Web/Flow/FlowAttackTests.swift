import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Flows in web views, under attack")
struct FlowAttackTests {
    private static let start = "/login/test?mobile=true&flow=welcome"

    private func flow() async throws -> (TestServer, ScriptedBrowser, ScriptedBrowser.Screen) {
        let server = try await TestServer.start(project: FlowPages.project)
        // Users of the same second count as new.
        server.clock.advance(1)
        let browser = server.browser()
        return (server, browser, try await FlowPages(browser).signIn(Self.start))
    }

    private func session(_ screen: ScriptedBrowser.Screen) -> JSONValue? {
        (try? JSONValue(parsing: Array(screen.body.utf8)))?["sessionJwt"]
    }

    @Test func `a flow ends with a session of the project, and its browser has none any more`() async throws {
        let (server, browser, end) = try await flow()
        #expect(end.page == "flow-end" && end.body.contains("<descope-wc "))
        let policy = try #require(end.header("content-security-policy"))
        #expect(policy.contains("connect-src 'self'") && policy.contains("frame-ancestors 'none'"))
        let mark = try #require(browser.cookieJar["keyturn-browser"])
        let result = try await browser.submit(end, [:])
        #expect(result.status == 200 && result.header("cache-control") == "no-store")
        let json = try JSONValue(parsing: Array(result.body.utf8))
        #expect(json["user"]?["userId"]?.stringValue == TestServer.subject.rawValue && json["firstSeen"] == false)
        let claims = TestServer.claims(json["sessionJwt"]?.stringValue.map { Secret($0) })
        #expect(claims["amr"] == ["pwd"], "\(claims)")
        #expect(browser.cookieJar["keyturn-session"] == nil)
        // Nothing that was begun in this browser goes on.
        #expect(browser.cookieJar["keyturn-browser"] != mark)
        let me = try await server.call("GET", "/v1/auth/me", bearer: "test:\(json["refreshJwt"]?.stringValue ?? "")")
        #expect(me.status == 200)
        await server.stop()
    }

    @Test func `FW-3: a result is handed out once, also to a hundred requests`() async throws {
        let (server, browser, end) = try await flow()
        let jar = browser.cookieJar
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    let same = server.browser()
                    same.cookieJar = jar
                    return session(try await same.submit(end, [:])) != nil
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 1)
        #expect(session(try await browser.submit(end, [:])) == nil)
        await server.stop()
    }

    @Test func `FW-4: another browser gets no result, not even with the session`() async throws {
        let (server, browser, end) = try await flow()
        let bare = server.browser()
        #expect(try await bare.submit(end, [:]).status == 403)
        let thief = server.browser()
        _ = try await thief.open("/login/test?flow=welcome")
        var jar = thief.cookieJar
        jar["keyturn-session"] = browser.cookieJar["keyturn-session"]
        thief.cookieJar = jar
        #expect(try await thief.submit(end, [:]).status == 403)
        let page = try await thief.open(end.url)
        #expect(page.page == "error" && page.status == 400)
        #expect(session(try await browser.submit(end, [:])) != nil, "its own browser gets it still")
        await server.stop()
    }

    @Test func `FW-4: a sign-in that is under way goes on in no other browser`() async throws {
        let server = try await TestServer.start(project: FlowPages.project)
        let browser = server.browser()
        let form = try await FlowPages(browser).toForm(Self.start)
        let other = server.browser()
        _ = try await other.open(Self.start)
        #expect(try await other.submit(form, ["field-team": "Blue"]).page == "error")
        #expect(try await other.open(form.url).page == "error")
        #expect(try await FlowPages(browser).signIn(Self.start).page == "flow-end")
        await server.stop()
    }

    @Test func `FW-5: no step is skipped by going to the last page`() async throws {
        let server = try await TestServer.start(project: FlowPages.project)
        let browser = server.browser()
        let login = try await browser.open(Self.start)
        let transaction = try #require(login.hiddenFields.first { $0.name == "transaction" }?.value)
        let early = try await browser.open("/flow/end?transaction=\(transaction)")
        #expect(early.page == "login")
        // A session that was opened elsewhere in the same browser did not go through the steps either.
        _ = try await server.visit("/settings", in: browser)
        let again = try await browser.open("/flow/end?transaction=\(transaction)")
        #expect(again.page == "login")
        var form = FormParameters()
        for field in again.hiddenFields { form.append(field.name, field.value) }
        let forged = try await browser.post("/flow/result", form)
        #expect(session(forged) == nil && forged.status >= 400)
        await server.stop()
    }

    @Test func `FW-9: a flow asks the user although the browser has a session`() async throws {
        let (server, browser, end) = try await flow()
        #expect(end.page == "flow-end")
        #expect(try await browser.open(Self.start).page == "login")
        await server.stop()
    }

    @Test(arguments: [
        "/login/test?flow=none", "/login/test?flow=private", "/login/other?flow=welcome",
        "/login/test?flow=%3Cscript%3E",
    ])
    func `an unknown flow or project is a page with an error`(_ address: String) async throws {
        let server = try await TestServer.start(project: FlowPages.project)
        let page = try await server.browser().open(address)
        #expect(page.page == "error" && page.status == 404 && !page.body.contains("<script>"))
        await server.stop()
    }

    @Test func `inputs that are no plain object begin no flow`() async throws {
        let server = try await TestServer.start(project: FlowPages.project)
        for inputs in ["x", "%5B%5D", "%7B%22a%22:%7B%7D%7D"] {
            let page = try await server.browser().open(Self.start + "&journey_inputs=\(inputs)")
            #expect(page.page == "error" && page.status == 400)
        }
        await server.stop()
    }

    @Test func `the first page asks the app's script once what the app says, if the journey reads it`() async throws {
        let server = try await TestServer.start(
            project: { Project(id: "test", name: "Test", issuer: $0, journeys: [.conditional, .profile]) })
        let browser = server.browser()
        let start = "/login/test?flow=conditional&locale=de&theme=dark"
        let page = try await browser.open(start)
        #expect(page.body.contains("data-inputs-at=\"\(start.replacing("&", with: "&amp;"))\""))
        let told = try await browser.open(start + "&journey_inputs=%7B%22plan%22:%22team%22%7D")
        #expect(told.page == "login" && !told.body.contains("data-inputs-at"))
        #expect(try await !browser.open("/login/test?flow=profile").body.contains("data-inputs-at"))
        await server.stop()
    }

    @Test func `a wrong password and a cancelled sign-in stay pages that a web view shows`() async throws {
        let server = try await TestServer.start(project: FlowPages.project)
        let browser = server.browser()
        let login = try await browser.open(Self.start + "&theme=dark&locale=de")
        #expect(login.body.contains("lang=\"de\"") && login.body.contains("data-theme=\"dark\""))
        let wrong = try await browser.submit(login, ["username": TestServer.username, "password": "a slip"])
        #expect(wrong.status == 200 && wrong.page == "login" && wrong.body.contains("role=\"alert\""))
        let cancelled = try await browser.submit(wrong, ["action": "deny"])
        #expect(cancelled.page == "flow-cancelled" && cancelled.body.contains("data-flow-abort"))
        await server.stop()
    }

    @Test func `the built-in flow and the default one need no journey`() async throws {
        let server = try await TestServer.start()
        for query in ["", "?flow=standard"] {
            let browser = server.browser()
            let login = try await browser.open("/login/test\(query)")
            let end = try await browser.submit(
                login, ["username": TestServer.username, "password": TestServer.password])
            #expect(end.page == "flow-end")
        }
        await server.stop()
    }

    @Test func `a user whom an operator disables meanwhile, or who signs out everywhere, gets no session`() async throws
    {
        let (server, browser, end) = try await flow()
        _ = try await server.services.stores.grants.endEverything(
            of: TestServer.subject, reason: .logout, at: server.clock.now)
        #expect(session(try await browser.submit(end, [:])) == nil)
        await server.stop()
    }
}
