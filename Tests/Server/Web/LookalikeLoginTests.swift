import Account
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Login IDs that look like others")
struct LookalikeLoginTests {
    static let addresses = ["mar\u{200B}ia@example.test", "maria@example.test\u{202E}", "mar\u{AD}ia@example.test"]
    static let usernames = ["ad\u{200B}minz", "a\u{202E}b1", "\u{430}dmin", "\u{3164}x", "ann\u{FE0F}"]
    private let password: JSONValue = "long-and-strange-77"

    @Test(arguments: addresses + usernames)
    func `no call of the methods' wire gives one to a new user`(_ name: String) async throws {
        let server = try await TestServer.start()
        let login = JSONValue.string(name)
        for path in ["password/signup", "totp/signup"] {
            let answer = try await server.call(path, ["loginId": login, "password": password])
            #expect(answer.errorCode == "E011004", "\(path): \(answer.body)")
        }
        for path in ["otp/signup/email", "magiclink/signup/email", "enchantedlink/signup/email"] {
            let answer = try await server.call(path, ["loginId": login, "user": ["email": "bob@example.com"]])
            #expect(answer.errorCode == "E011004", "\(path): \(answer.body)")
        }
        // A user with such a name from before could sign in, so this call says nothing.
        if name.contains("@") {
            #expect(try await server.call("otp/signup-in/email", ["loginId": login]).status == 200)
        }
        #expect(try await server.messageCount(to: name) == 0)
        #expect(try await server.account(name) == nil)
        await server.stop()
    }

    @Test(arguments: addresses)
    func `none becomes an address of a user, by the wire, the settings or an operator`(_ address: String) async throws {
        let server = try await TestServer.start()
        let session = try await server.session()
        let body: JSONValue = [
            "loginId": .string(TestServer.username), "email": .string(address), "addToLoginIDs": true,
        ]
        let asked = try await server.call("otp/update/email", body, refresh: session.refreshJWT?.exposed())
        #expect(asked.errorCode == "E011004")
        let contact: JSONValue = [
            "loginId": "bob@example.com", "password": password, "user": ["email": .string(address)],
        ]
        #expect(try await server.call("password/signup", contact).errorCode == "E011004")

        let outcome = try await server.services.signIn.check(
            loginID: TestServer.username, password: Secret(TestServer.password), from: NetworkAddress("192.0.2.1"))
        guard case .recognised(let user, let facts) = outcome else { throw TestFailure("\(outcome)") }
        let cookie = try await server.services.signIn.openSession(for: user, facts, replacing: nil)?.cookie
        let owner = try #require(try await server.services.signIn.owner(of: cookie))
        guard case .refused(.invalid) = try await server.services.settings.sendCode(to: address, of: owner) else {
            throw TestFailure("a code is sent")
        }
        for path in ["user/create", "user/create/test"] {
            let made = try await server.manage(path, ["loginId": .string(address)])
            #expect(made.errorCode == "E011004" && made.body.contains("[U+"), "\(path): \(made.body)")
        }
        for (path, member) in [("user/update/loginid", "newLoginId"), ("user/update/email", "email")] {
            let changed = try await server.manage(
                path, .object(["loginId": .string(TestServer.username), member: .string(address)]))
            #expect(changed.errorCode == "E011004", "\(path): \(changed.body)")
        }
        #expect(try await server.account(TestServer.username)?.identifiers.count == 1)
        await server.stop()
    }

    @Test func `one mailbox of an international domain is one account, however it is spelt`() async throws {
        let server = try await TestServer.start()
        #expect(try await server.signUpByCode("u@xn--exmple-cua.com").status == 200)
        let again: JSONValue = ["loginId": "U@exämple.com", "password": password]
        #expect(try await server.call("password/signup", again).errorCode == "E062107")
        #expect(try await server.call("otp/signin/email", ["loginId": "u@exämple.com"]).status == 200)
        let code = try #require(try await server.message(to: "u@xn--exmple-cua.com").code)
        let answer = try await server.call(
            "otp/verify/email", ["loginId": "u@exa\u{308}mple.com", "code": .string(code)])
        #expect(answer.status == 200)
        await server.stop()
    }

    @Test func `79: a network is told of few names that they are taken`() async throws {
        let server = try await TestServer.start(trustsForwarding: true)
        let taken: JSONValue = ["loginId": .string(TestServer.username), "password": password]
        for number in 0..<Limits.takenNamesToldMax {
            let path = number % 2 == 0 ? "password/signup" : "totp/signup"
            let answer = try await server.call(path, taken, from: "198.51.100.7")
            #expect(answer.errorCode == "E062107")
        }
        let free: JSONValue = ["loginId": "free@example.com", "password": password]
        for body in [taken, free] {
            #expect(try await server.call("password/signup", body, from: "198.51.100.7").status == 429)
        }
        #expect(try await server.call("password/signup", free, from: "198.51.100.8").status == 200)
        server.clock.advance(Limits.sendWindowSeconds)
        #expect(try await server.call("password/signup", taken, from: "198.51.100.7").errorCode == "E062107")
        await server.stop()
    }
}
