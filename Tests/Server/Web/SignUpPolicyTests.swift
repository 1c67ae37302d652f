import Authority
import Identity
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// `project.sign_up`, tried on every way in that could make an account.
@Suite("Who may open an account")
struct SignUpPolicyTests {
    static func start(
        _ policy: SignUpPolicy, clients: [Client] = [], connections: [Connection] = []
    ) async throws -> TestServer {
        let party = try WebAuthnPolicy(rpID: "app.example", rpName: "App", origins: [PasskeyMethodTests.App.origin])
        return try await TestServer.start(
            clients: clients,
            project: {
                Project(id: "test", name: "Test", issuer: $0, authority: AuthorityPolicy(signUp: policy))
            }, relyingParties: [RelyingParty(policy: party)], connections: connections)
    }

    private static let origin: JSONValue = .string(PasskeyMethodTests.App.origin)
    private static let closed: [SignUpPolicy] = [.invited, .off]
    private static let stranger = "stranger@elsewhere.example"

    @Test("`calls that prove no address are refused before anything is looked up`", arguments: closed)
    func unproved(policy: SignUpPolicy) async throws {
        let server = try await Self.start(policy)
        for name in [Self.stranger, TestServer.username] {
            let calls: [(String, JSONValue)] = [
                ("password/signup", ["loginId": .string(name), "password": "a-long-enough-phrase"]),
                ("totp/signup", ["loginId": .string(name)]),
                ("webauthn/signup/start", ["loginId": .string(name), "origin": Self.origin]),
            ]
            for (path, body) in calls {
                let answer = try await server.call(path, body)
                #expect(answer.status == 403 && answer.errorCode == "E011003", "\(path) \(name)")
                #expect(answer.json["errorMessage"]?.stringValue?.contains("invitation") == true)
            }
        }
        #expect(try await server.account(Self.stranger) == nil)
        await server.stop()
    }

    @Test("`codes and links of a closed sign-up are those of an unknown user`", arguments: closed)
    func messages(policy: SignUpPolicy) async throws {
        let server = try await Self.start(policy)
        for verb in ["signup", "signup-in", "signin"] {
            for method in ["otp", "magiclink", "enchantedlink"] {
                let known = try await server.call(
                    "\(method)/\(verb)/email", ["loginId": .string(TestServer.username)])
                let answer = try await server.call("\(method)/\(verb)/email", ["loginId": .string(Self.stranger)])
                #expect(answer.status == 200 && known.status == 200, "\(method)/\(verb)")
                #expect(Set(answer.json.objectValue?.keys ?? [:].keys) == Set(known.json.objectValue?.keys ?? [:].keys))
                server.clock.advance(Limits.attemptWindowSeconds)
            }
        }
        let queued = try await server.services.messages.newest(limit: 100).map(\.message)
        #expect(queued.filter { $0.to == Self.stranger && !$0.isDecoy }.isEmpty)
        #expect(try await server.account(Self.stranger) == nil)
        await server.stop()
    }

    @Test("`a passkey of a closed sign-up-or-in is asked for as one of an unknown user`", arguments: closed)
    func passkeys(policy: SignUpPolicy) async throws {
        let server = try await Self.start(policy)
        let answer = try await server.call(
            "webauthn/signup-in/start", ["loginId": .string(Self.stranger), "origin": Self.origin])
        #expect(answer.status == 200 && answer.json["create"] == false)
        await server.stop()
    }

    @Test("`the pages say that it is closed, and whom to ask`", arguments: closed)
    func pages(policy: SignUpPolicy) async throws {
        let server = try await Self.start(policy)
        let browser = server.browser()
        let login = try await server.loginPage(browser)
        #expect(login.page == "login" && !login.body.contains("/signup"))
        let address = "/signup?transaction=\(server.transaction(of: login))"
        let page = try await browser.open(address)
        #expect(page.page == "signup-closed" && page.body.contains("by invitation"))
        let posted = try await browser.submit(page, ["email": Self.stranger, "name": "S", "action": "code"])
        #expect(posted.status == 403 && posted.page == "signup-closed")
        let settings = try await browser.open("/settings")
        #expect(!settings.body.contains("/signup"))
        #expect(try await server.account(Self.stranger) == nil)
        await server.stop()
    }

    @Test func `an invited user completes the account by a code, also on the sign-up call`() async throws {
        for verb in ["signin", "signup", "signup-in"] {
            let server = try await Self.start(.invited)
            let made = try await server.manage(
                "user/create", ["loginId": "ida@example.com", "email": "ida@example.com", "invite": true])
            #expect(made.status == 200)
            _ = try await server.call("otp/\(verb)/email", ["loginId": "ida@example.com"])
            let code = try #require(try await server.message(to: "ida@example.com").code)
            let answer = try await server.call(
                "otp/verify/email", ["loginId": "ida@example.com", "code": .string(code)])
            #expect(answer.status == 200, "\(verb)")
            #expect(try await server.account("ida@example.com")?.user.status == .active)
            await server.stop()
        }
    }

    @Test func `where it is off, not even an invited user comes in`() async throws {
        let server = try await Self.start(.off)
        _ = try await server.manage(
            "user/create", ["loginId": "ida@example.com", "email": "ida@example.com", "invite": true])
        _ = try await server.call("otp/signin/email", ["loginId": "ida@example.com"])
        let code = try #require(try await server.message(to: "ida@example.com").code)
        let answer = try await server.call(
            "otp/verify/email", ["loginId": "ida@example.com", "code": .string(code)])
        #expect(answer.status == 400)
        #expect(try await server.account("ida@example.com")?.user.status == .invited)
        await server.stop()
    }

    @Test func `an address of a listed domain opens an account, others get nothing`() async throws {
        let server = try await Self.start(.domains(["acme.example"]))
        let own = try await server.signUpByCode("ida@acme.example")
        #expect(own.status == 200)
        for foreign in [Self.stranger, "ida@sub.acme.example", "ida@acme.example.evil.example"] {
            let sent = try await server.call("otp/signup/email", ["loginId": .string(foreign)])
            #expect(sent.status == 200)
            #expect(
                try await server.services.messages.newest(limit: 100).allSatisfy {
                    $0.message.to != foreign || $0.message.isDecoy
                })
        }
        // The address that is proved decides, not the name beside it.
        let disguised = try await server.call(
            "otp/signup/email", ["loginId": "ida2@acme.example", "user": ["email": .string(Self.stranger)]])
        #expect(disguised.status == 200)
        #expect(try await server.account("ida2@acme.example") == nil)
        // What proves no address says what is missing.
        let password = try await server.call(
            "password/signup", ["loginId": "eve@acme.example", "password": "a-long-enough-phrase"])
        #expect(password.status == 403 && password.json["missing"] == "address_proof")
        let browser = server.browser()
        let form = try await server.openSignUp(browser)
        let refused = try await browser.submit(
            form, ["name": "S", "email": Self.stranger, "password": "a-long-enough-phrase"])
        #expect(refused.page == "signup" && refused.status == 422)
        let sent = try await browser.submit(
            refused, ["name": "S", "email": "sam@acme.example", "password": "a-long-enough-phrase"])
        #expect(sent.page == "code")
        await server.stop()
    }

    @Test func `users without an account are made where sign-up is open alone`() async throws {
        for (policy, status) in [
            (SignUpPolicy.open, 200), (.invited, 403), (.off, 403), (.domains(["a.example"]), 403),
        ] {
            let server = try await Self.start(policy, clients: [AnonymousDevice.app])
            #expect(try await AnonymousGrantTests.signUp(server).status == status, "\(policy)")
            let device = try AnonymousDevice(server)
            let answer = try await device.signIn(isNew: true)
            #expect((answer.status == 200) == (status == 200), "\(policy)")
            if status != 200 { #expect(answer.json["error"] == "access_denied") }
            await server.stop()
        }
    }

    @Test func `operators, and links that a management key makes, open accounts in every case`() async throws {
        let server = try await Self.start(.off)
        #expect(try await server.manage("user/create", ["loginId": "ida@example.com"]).status == 200)
        let link = try await server.manage("user/signup/embeddedlink", ["loginId": "eva@example.com"])
        let token = link.json["token"] ?? .null
        #expect(try await server.call("magiclink/verify", ["token": token]).status == 200)
        await server.stop()
    }
}
