import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Who is told that a new password ended a session")
struct PasswordNoticeTests {
    private static let told = TestClients.make("told", method: "client_secret_basic", secret: TestClients.webSecret) {
        $0.backchannelLogoutURI = "http://127.0.0.1:9001/logout"
    }
    private static let fresh = "another-fine-phrase"

    @Test(arguments: ["replace", "reset", "management"])
    func `an app that takes back-channel logout is told, once, whoever set the password`(_ way: String) async throws {
        let server = try await TestServer.start(clients: [Self.told])
        let tokens = try await server.tokens(Self.told)
        let name = JSONValue.string(TestServer.username)
        switch way {
        case "replace":
            let answer = try await server.call(
                "password/replace",
                ["loginId": name, "oldPassword": .string(TestServer.password), "newPassword": .string(Self.fresh)])
            #expect(answer.status == 200)
        case "reset":
            let browser = server.browser()
            _ = try await browser.submit(try await server.openReset(browser), ["username": TestServer.username])
            let link = try #require(try await server.message(to: TestServer.username).links.first)
            let page = try await browser.submit(try await browser.open(link), ["action": "continue"])
            #expect(page.page == "password-new")
            #expect(try await server.logoutNotices().isEmpty)
            #expect(try await browser.submit(page, ["password": Self.fresh]).status == 303)
        default:
            let answer = try await server.manage(
                "user/password/set/active", ["loginId": name, "password": .string(Self.fresh)])
            #expect(answer.status == 200)
        }
        let notices = try await server.logoutNotices()
        #expect(notices.map(\.clientID) == ["told"] && notices.first?.userID == TestServer.subject)
        #expect(try await server.refresh(tokens.refreshToken, Self.told).error == "invalid_grant")
        await server.stop()
    }

    @Test func `nobody is told of a password that was not set`() async throws {
        let server = try await TestServer.start(clients: [Self.told])
        let tokens = try await server.tokens(Self.told)
        let answer = try await server.call(
            "password/replace",
            [
                "loginId": .string(TestServer.username), "oldPassword": "wrong",
                "newPassword": .string(Self.fresh),
            ])
        #expect(answer.status == 400 || answer.status == 401)
        #expect(try await server.logoutNotices().isEmpty)
        #expect(try await server.refresh(tokens.refreshToken, Self.told).status == 200)
        await server.stop()
    }
}
