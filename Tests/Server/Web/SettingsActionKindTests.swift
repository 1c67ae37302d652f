import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Settings actions: user names, and what is not offered")
struct SettingsActionKindTests {
    private static let names = MethodSettings(offersUsernames: true)

    @Test func `a user name is added, and another one takes its place`() async throws {
        let server = try await TestServer.start(methodSettings: Self.names)
        let action = ActionRequest(server: server, browser: server.browser())
        let page = try await action.open("add_username")
        #expect(page.page == "settings-identifiers" && page.body.contains("User name"))
        for bad in ["ab", "two words", "with@sign", "+123456", "älg-åker", String(repeating: "x", count: 65)] {
            let refused = try await server.send(
                page, in: action.browser, ["action": "add", "identifier": bad])
            #expect(refused.status == 422 && refused.hasProblem, "\(bad)")
        }
        let done = try await server.send(page, in: action.browser, ["action": "add", "identifier": "Andy.One"])
        #expect(try ActionRequest.isDone(done))
        #expect(try await server.account("andy.one")?.user.id == TestServer.subject)

        let query = FormParameters([SettingsAction.loginID: "andy.one"]).encoded
        let change = try await action.open("change_username", [(SettingsAction.queryParameter, query)])
        let changed = try await server.send(change, in: action.browser, ["action": "add", "identifier": "andy-two"])
        #expect(try ActionRequest.isDone(changed))
        #expect(try await server.account("andy.one") == nil)
        #expect(try await server.account("andy-two")?.user.id == TestServer.subject)
        #expect(try await server.account(TestServer.username)?.user.id == TestServer.subject)
        await server.stop()
    }

    @Test func `79: of another user's name nothing is told but that it is taken, twenty times an hour`() async throws {
        let server = try await TestServer.start(methodSettings: Self.names)
        try await server.addBea()
        let bea = Identifier(kind: .username, storedValue: "beatrice")
        _ = try await server.services.stores.users.change(
            UserID(rawValue: "22222222-2222-4222-8222-222222222222"), at: server.clock.now
        ) { $0.identifiers[bea] = .verified }
        let action = ActionRequest(server: server, browser: server.browser())
        let page = try await action.open("add_username")
        for _ in 0..<Limits.usernameTriesMax {
            let taken = try await server.send(page, in: action.browser, ["action": "add", "identifier": "beatrice"])
            #expect(taken.status == 422 && taken.hasProblem)
        }
        let late = try await server.send(page, in: action.browser, ["action": "add", "identifier": "free-name"])
        #expect(late.status == 429 && late.header("retry-after") != nil)
        #expect(try await server.account("free-name") == nil)
        #expect(try await server.account("beatrice")?.user.id != TestServer.subject)
        await server.stop()
    }

    @Test(arguments: [
        "add_username", "link_oauth", "unlink_oauth",
    ])
    func `an action that the operator does not offer goes back to the app`(_ name: String) async throws {
        let server = try await TestServer.start()
        let action = ActionRequest(server: server, browser: server.browser())
        let refused = try await action.openInApp(name, [(SettingsAction.providerParameter, "acme")])
        #expect(try ActionRequest.error(refused) == SettingsAction.unsupported)
        await server.stop()
    }

    @Test func `without the provider's name, or the earlier user name, the request is refused`() async throws {
        let server = try await TestServer.start(methodSettings: Self.names)
        let action = ActionRequest(server: server, browser: server.browser())
        for name in ["link_oauth", "unlink_oauth", "change_username"] {
            #expect(try ActionRequest.error(try await action.openInApp(name)) == "invalid_request", "\(name)")
        }
        await server.stop()
    }
}
