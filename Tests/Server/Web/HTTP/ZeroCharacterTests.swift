import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

/// PostgreSQL stores no text with U+0000: the server refuses it before anything is looked up, on every engine alike.
@Suite("U+0000 in requests")
struct ZeroCharacterTests {
    @Test(arguments: [
        "/oauth2/token", "/oauth2/introspect", "/oauth2/revoke", "/oauth2/par", "/oauth2/device_authorization",
        "/oauth2/end_session",
    ])
    func `a form with %00 in a value or a name is refused`(_ path: String) async throws {
        let server = try await TestServer.start()
        for (name, value) in [("token", "a\u{0}b"), ("token\u{0}", "a"), ("state", "\u{0}")] {
            let answer = try await server.post(path, FormParameters([name: value]), as: TestClients.web)
            #expect(answer.status == 400 && answer.body.contains("U+0000"), "\(answer.body)")
        }
        let raw = try await server.send(
            "POST", path, headers: [("Content-Type", "application/x-www-form-urlencoded")], body: "token=a\u{0}b")
        #expect(raw.status == 400 && raw.body.contains("U+0000"))
        let marked = try await server.send(
            "POST", path, headers: [("Content-Type", "application/x-www-form-urlencoded")], body: "token=%00\u{301}")
        #expect(marked.status == 400 && marked.body.contains("U+0000"))
        await server.stop()
    }

    @Test func `a page's form with %00 is refused, and changes nothing`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let login = try await server.authorize(
            server.request(TestClients.web, proof: PKCE(ambient: .live)), in: browser)
        let name = try await browser.submit(
            login, ["username": TestServer.username + "\u{0}", "password": TestServer.password])
        #expect(name.status == 400 && name.page == "error")
        let page = try await server.visit("/settings/profile", in: server.browser())
        let claims = try #require(try await server.account(TestServer.username)).user.claims
        #expect(try await server.send(page, in: browser, ["name": "a\u{0}b"]).status == 400)
        #expect(try await server.account(TestServer.username)?.user.claims == claims)
        await server.stop()
    }

    @Test func `a query with %00 is refused`() async throws {
        let server = try await TestServer.start()
        for path in ["/oauth2/authorize?client_id=web%00", "/settings?x=%00", "/oauth2/authorize?%00=x"] {
            let answer = try await server.get(path)
            #expect(answer.status == 400 && answer.body.contains("U+0000"), "\(path) \(answer.body)")
        }
        let found = try await server.manage("user?loginId=a%00b", nil, method: "GET")
        #expect(found.status == 400 && found.body.contains("U+0000"), "\(found.body)")
        let directory = try await Directory.of("t1", at: server)
        let users = try await directory.send("GET", "/Users?filter=title%20eq%20%22a%00%22")
        #expect(users.status == 400 && users.body.contains("U+0000"), "\(users.body)")
        await server.stop()
    }

    @Test(arguments: [
        "/oauth2/register", "/oauth2/challenge", "/oauth2/app_session_token", "/v1/approvals",
        "/api/anonymous_user/signup", "/keyservice/v1/createkey",
    ])
    func `a JSON body with an escaped U+0000 in a text or a name is refused`(_ path: String) async throws {
        let server = try await TestServer.start(registration: RegistrationSettings())
        for body in [#"{"client_name":"a\u0000b"}"#, #"{"a\u0000":1}"#, #"{"x":[{"y":"\u0000"}]}"#] {
            let answer = try await server.send(
                "POST", path, headers: [("Content-Type", "application/json")], body: body)
            #expect(answer.status == 400 && answer.body.contains("U+0000"), "\(answer.body)")
        }
        let escaped = try await server.send(
            "POST", path, headers: [("Content-Type", "application/json")], body: #"{"x":"\\u0000"}"#)
        #expect(!escaped.body.contains("U+0000"), "a backslash, and a text that looks like it")
        await server.stop()
    }

    @Test func `management, methods, provisioning and passkeys of sites refuse it in their own forms`() async throws {
        let server = try await TestServer.start()
        for body: JSONValue in [
            ["loginId": "bea@example.com", "displayName": "a\u{0}b"],
            ["loginId": "bea@example.com", "customAttributes": ["plan": ["a\u{0}"]]],
            ["loginId": "bea@example.com", "customAttributes": ["plan\u{0}": 1]],
        ] {
            let answer = try await server.manage("user/create", body)
            #expect(answer.status == 400 && answer.errorCode == "E011001", "\(answer.body)")
            #expect(answer.body.contains("U+0000"))
        }
        let method = try await server.call("otp/signin/email", ["loginId": "a\u{0}b"])
        #expect(method.status == 400 && method.errorCode == "E011001" && method.body.contains("U+0000"))
        let directory = try await Directory.of("t1", at: server)
        let user = try await directory.send("POST", "/Users", ["userName": "a\u{0}b"])
        #expect(user.status == 400 && user.json["scimType"] == "invalidSyntax" && user.body.contains("U+0000"))
        await server.stop()
        let site = try await Site.start()
        let named = try await site.backend("/credential/update", ["id": "x", "name": "a\u{0}b"])
        #expect(named.code == "InvalidInput")
        await site.server.stop()
    }
}
