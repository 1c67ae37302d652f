import Authority
import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Links, authenticators and passwords under attack")
struct LinkAttackTests {
    private func token(_ link: String?) throws -> JSONValue {
        .string(String(try #require(link?.split(separator: "t=", maxSplits: 1).last)))
    }

    @Test func `88: a GET never spends a magic link, a POST does, once`() async throws {
        let server = try await TestServer.start()
        let sent = try await server.call("magiclink/signin/email", ["loginId": .string(TestServer.username)])
        #expect(sent.status == 200)
        let link = try #require(try await server.message(to: TestServer.username).links.first)
        #expect(link.hasPrefix(server.issuer + "/link?t="))
        for _ in 0..<3 { _ = try await server.get(String(link.dropFirst(server.issuer.count))) }
        #expect(try await server.get("/v1/auth/magiclink/verify").status == 405)
        let token = try token(link)
        let described = try await server.services.methods.magicLinks.describe(Secret(token.stringValue ?? ""))
        #expect(described?.facts.purpose == .signIn)
        #expect(try await server.call("magiclink/verify", ["token": token]).status == 200)
        #expect(try await server.call("magiclink/verify", ["token": token]).errorCode == "E063010")
        await server.stop()
    }

    @Test(arguments: [
        "https://evil.test/x", "https://127.0.0.1.evil.test/", "http://127.0.0.1@evil.test/", "javascript:alert(1)",
        "evil:/x", "//evil.test", #"https://evil.test\.127.0.0.1/"#, "https://third.example/grab",
        "http://127.1/", "http://0177.0.0.1/", "http://app.localhost/x", "http://127.0.0.1:/x",
    ])
    func `a link leads to no stranger`(_ address: String) async throws {
        // A client of somebody else's gets what a person allows it, never what signs the person in.
        let third = TestClients.make("third", method: "none", secret: nil) {
            $0.redirectURIs = ["https://third.example/callback"]
        }
        let server = try await TestServer.start(clients: [third])
        for name in ["redirectUrl", "URI"] {
            let body: JSONValue = .object(["loginId": .string(TestServer.username), name: .string(address)])
            #expect(try await server.call("magiclink/signin/email", body).errorCode == "E011004")
            #expect(try await server.call("enchantedlink/signin/email", body).errorCode == "E011004")
        }
        #expect(try await server.messageCount(to: TestServer.username) == 0)
        await server.stop()
    }

    @Test func `a link leads to the operator's own apps, and to approved hosts by https`() async throws {
        let own = TestClients.make("own", method: "none", secret: nil, firstParty: true) {
            $0.redirectURIs = ["https://own.example/callback"]
        }
        let server = try await TestServer.start(
            clients: [own],
            methodSettings: MethodSettings(approvedDomains: [".good.example", "app.example"]))
        let body: JSONValue = [
            "loginId": .string(TestServer.username), "redirectUrl": "https://own.example/elsewhere",
        ]
        #expect(try await server.call("magiclink/signin/email", body).status == 200)
        let methods = server.services.methods
        func isAllowed(_ address: String) async throws -> Bool {
            let ask = VerificationRequest(.signIn, loginID: TestServer.username, method: .email, redirectURL: address)
            do {
                _ = try await methods.magicLinks.send(ask)
                return true
            } catch let problem as MethodProblem where problem.code == "E011004" {
                return false
            }
        }
        for address in ["https://a.good.example/x", "https://app.example/"] {
            #expect(try await isAllowed(address), "\(address)")
        }
        for address in [
            "http://a.good.example/x", "http://app.example/", #"https://evil.example\.good.example/"#,
            "https://evil.example/.good.example",
        ] { #expect(try await !isAllowed(address), "\(address)") }
        await server.stop()
    }

    @Test func `an enchanted link gives its session to whoever waits, and to nobody twice`() async throws {
        let server = try await TestServer.start()
        let started = try await server.call(
            "enchantedlink/signin/email",
            ["loginId": .string(TestServer.username), "URI": "http://127.0.0.1:9000/landing?a=1"])
        let reference: JSONValue = try #require(started.json["pendingRef"])
        let pending = try await server.call("enchantedlink/pending-session", ["pendingRef": reference])
        #expect(pending.status == 401 && pending.errorCode == "E062503")
        let message = try await server.message(to: TestServer.username)
        let numbers = try #require(message.values[MessageValue.linkIDs]?.split(separator: " ").map(String.init))
        #expect(Set(numbers).count == 3 && message.links.count == 3)
        let right = try #require(numbers.firstIndex(of: started.json["linkId"]?.stringValue ?? ""))
        #expect(message.links[right].hasPrefix("http://127.0.0.1:9000/landing?a=1&t="))
        let token = try token(message.links[right])
        #expect(try await server.call("magiclink/verify", ["token": token]).status == 400, "not to whoever opens it")
        let followed = try await server.call("enchantedlink/verify", ["token": token])
        #expect(followed.status == 200 && followed.body == "{}")
        let answer = try await server.call("enchantedlink/pending-session", ["pendingRef": reference])
        #expect(answer.status == 200 && answer.refreshJWT != nil && answer.methods == ["email", "approval"])
        let again = try await server.call("enchantedlink/pending-session", ["pendingRef": reference])
        #expect(again.errorCode == "E063010")
        await server.stop()
    }

    @Test func `a wrong link of three turns away whoever waits`() async throws {
        let server = try await TestServer.start()
        let started = try await server.call("enchantedlink/signin/email", ["loginId": .string(TestServer.username)])
        let message = try await server.message(to: TestServer.username)
        let numbers = message.values[MessageValue.linkIDs]?.split(separator: " ").map(String.init) ?? []
        let wrong = try #require(numbers.firstIndex { $0 != started.json["linkId"]?.stringValue })
        let followed = try await server.call("enchantedlink/verify", ["token": try token(message.links[wrong])])
        #expect(followed.errorCode == "E063010")
        let reference = started.json["pendingRef"] ?? .null
        let answer = try await server.call("enchantedlink/pending-session", ["pendingRef": reference])
        #expect(answer.status == 400 && answer.errorCode == "E063010")
        await server.stop()
    }

    @Test func `87: an authenticator's code is good once, and confirms its sign-up`() async throws {
        let server = try await TestServer.start()
        let begun = try await server.call("totp/signup", ["loginId": "bea@example.com", "user": ["name": "Bea"]])
        #expect(begun.status == 200)
        #expect(begun.json["provisioningURL"]?.stringValue?.hasPrefix("otpauth://totp/") == true)
        let image = try #require(begun.json["image"]?.stringValue.flatMap { Data(base64Encoded: $0) })
        #expect(Array(image.prefix(4)) == [0x89, 0x50, 0x4E, 0x47])
        #expect(try await server.account("bea@example.com") == nil)
        let secret = try #require(TOTPSecret(typed: Secret(begun.json["key"]?.stringValue ?? "")))
        func verify() async throws -> EndpointAnswer {
            let code = TOTPCode(secret).code(at: server.clock.now).exposed()
            return try await server.call("totp/verify", ["loginId": "bea@example.com", "code": .string(code)])
        }
        let first = try await verify()
        #expect(first.status == 200 && first.methods == ["totp"])
        #expect(try await verify().errorCode == "E061102", "the same step")
        server.clock.advance(30)
        #expect(try await verify().status == 200)
        await server.stop()
    }

    @Test func `89: a reset changes a password, ends old links, and stands for no second factor`() async throws {
        let server = try await TestServer.start()
        let login: JSONValue = .string(TestServer.username)
        let reset = try await server.call("password/reset", ["loginId": login, "redirectUrl": .null])
        #expect(reset.json["resetMethod"]?.stringValue == "magiclink")
        let first = try token(try await server.message(to: TestServer.username).links.first)
        _ = try await server.call("password/reset", ["loginId": login])
        let second = try token(try await server.message(to: TestServer.username).links.first)
        let session = try await server.call("magiclink/verify", ["token": first])
        #expect(session.methods == ["email"])
        let body: JSONValue = ["loginId": login, "newPassword": "another-horse-battery"]
        let updated = try await server.call("password/update", body, refresh: session.refreshJWT)
        #expect(updated.status == 200 && updated.body == "{}")
        #expect(try await server.call("magiclink/verify", ["token": second]).errorCode == "E063010")
        let old = try await server.call(
            "password/signin", ["loginId": login, "password": .string(TestServer.password)])
        #expect(old.errorCode == "E062108")
        let new = try await server.call("password/signin", ["loginId": login, "password": "another-horse-battery"])
        #expect(new.status == 200 && new.methods == ["pwd"])
        #expect(try await server.call("refresh", [:], refresh: session.refreshJWT).status == 200, "it goes on")
        await server.stop()
    }

    @Test func `89: a session of the mailbox alone cannot replace the second factor`() async throws {
        // Where one factor opens a session at all: see ``WireSecondFactorTests``.
        let server = try await WireSecondFactorTests.start(AuthorityPolicy(passwordBesideSecondFactor: true))
        let session = try await server.signUpByCode("bea@example.com")
        let body: JSONValue = ["loginId": "bea@example.com"]
        let begun = try await server.call("totp/update", body, refresh: session.refreshJWT)
        let secret = try #require(TOTPSecret(typed: Secret(begun.json["key"]?.stringValue ?? "")))
        let code = TOTPCode(secret).code(at: server.clock.now).exposed()
        let strong = try await server.call(
            "totp/verify", ["loginId": "bea@example.com", "code": .string(code), "loginOptions": ["mfa": true]],
            refresh: session.refreshJWT)
        #expect(strong.methods == ["email", "totp", "mfa"])
        _ = try await server.call("password/reset", body)
        let token = try token(try await server.message(to: "bea@example.com").links.first)
        let weak = try await server.call("magiclink/verify", ["token": token])
        #expect(weak.status == 200 && !weak.methods.contains("mfa"))
        #expect(try await server.call("totp/update", body, refresh: weak.refreshJWT).errorCode == "E011003")
        #expect(try await server.call("totp/update", body, refresh: strong.refreshJWT).status == 200)
        // Nor can it choose a password, which would make two factors of one mailbox.
        let password: JSONValue = ["loginId": "bea@example.com", "newPassword": "another-horse-battery"]
        let refused = try await server.call("password/update", password, refresh: weak.refreshJWT)
        #expect(refused.status == 403 && refused.errorCode == "E011003" && refused.missing == "second_factor")
        #expect(try await server.call("password/update", password, refresh: strong.refreshJWT).status == 200)
        // Two proofs that are no authenticator do not add up to one.
        let first = try await server.signInByCode("bea@example.com")
        let both = try await server.call(
            "password/signin",
            ["loginId": "bea@example.com", "password": "another-horse-battery", "loginOptions": ["mfa": true]],
            refresh: first.refreshJWT)
        #expect(both.status == 200 && both.methods == ["email", "pwd"])
        #expect(try await server.call("totp/update", body, refresh: both.refreshJWT).errorCode == "E011003")
        #expect(try await server.call("password/update", password, refresh: both.refreshJWT).errorCode == "E011003")
        await server.stop()
    }

    @Test func `89: an authenticator alone chooses a password only for whoever has nothing else`() async throws {
        // Where one factor opens a session at all: see ``WireSecondFactorTests``.
        let server = try await WireSecondFactorTests.start(AuthorityPolicy(passwordBesideSecondFactor: true))
        func signUp(_ name: String) async throws -> (TOTPCode, EndpointAnswer) {
            let begun = try await server.call("totp/signup", ["loginId": .string(name)])
            let secret = try #require(TOTPSecret(typed: Secret(begun.json["key"]?.stringValue ?? "")))
            let authenticator = TOTPCode(secret)
            let code = authenticator.code(at: server.clock.now).exposed()
            return (
                authenticator, try await server.call("totp/verify", ["loginId": .string(name), "code": .string(code)])
            )
        }
        let (_, alone) = try await signUp("bea")
        let first: JSONValue = ["loginId": "bea", "newPassword": "another-horse-battery"]
        #expect(try await server.call("password/update", first, refresh: alone.refreshJWT).status == 200)
        let second: JSONValue = ["loginId": "bea", "newPassword": "yet-another-battery"]
        #expect(try await server.call("password/update", second, refresh: alone.refreshJWT).errorCode == "E011003")
        let known = try await server.call("password/signin", ["loginId": "bea", "password": "another-horse-battery"])
        #expect(known.status == 200)
        #expect(try await server.call("password/update", second, refresh: known.refreshJWT).errorCode == "E011003")
        await server.stop()
    }

    @Test func `91: another address counts when it is proved, and the old one is told`() async throws {
        let server = try await TestServer.start()
        let session = try await server.signUpByCode("bea@example.com")
        let body: JSONValue = ["loginId": "bea@example.com", "email": "new@example.com", "addToLoginIDs": true]
        #expect(try await server.call("otp/update/email", body).status == 401)
        #expect(try await server.call("otp/update/email", body, refresh: session.refreshJWT).status == 200)
        #expect(try await server.account("new@example.com") == nil)
        let code = try #require(try await server.message(to: "new@example.com").code)
        let proved = try await server.call("otp/verify/email", ["loginId": "bea@example.com", "code": .string(code)])
        #expect(proved.json["user"]?["email"]?.stringValue == "new@example.com")
        #expect(try await server.account("new@example.com")?.identifiers.count == 2)
        #expect(try await server.message(to: "bea@example.com").kind == .addressChanged)
        await server.stop()
    }

    @Test func `93: whoever proves a pre-registered address finds nothing that a stranger put there`() async throws {
        let server = try await TestServer.start()
        let squatted = try await server.call(
            "password/signup",
            ["loginId": "bea@example.com", "password": "strangers-own-secret", "user": ["phone": "+15550001111"]])
        #expect(squatted.status == 200)
        #expect(squatted.json["user"]?["verifiedEmail"]?.boolValue == false)
        _ = try await server.call("otp/signin/email", ["loginId": "bea@example.com"])
        let code = try #require(try await server.message(to: "bea@example.com").code)
        let owner = try await server.call("otp/verify/email", ["loginId": "bea@example.com", "code": .string(code)])
        #expect(owner.status == 200)
        let stranger = try await server.call(
            "password/signin", ["loginId": "bea@example.com", "password": "strangers-own-secret"])
        #expect(stranger.errorCode == "E062108")
        #expect(try await server.call("refresh", [:], refresh: squatted.refreshJWT).status == 401)
        #expect(try await server.account("bea@example.com")?.phone == nil, "no code goes to the stranger's phone")
        await server.stop()
    }

    @Test func `a temporary password opens nothing but its replacement`() async throws {
        let server = try await TestServer.start()
        let login: JSONValue = .string(TestServer.username)
        let set = try await server.manage(
            "user/password/set/temporary", ["loginId": login, "password": "temporary-secret"])
        #expect(set.status == 200)
        let refused = try await server.call("password/signin", ["loginId": login, "password": "temporary-secret"])
        #expect(refused.errorCode == "E062909")
        let wrong = try await server.call("password/signin", ["loginId": login, "password": "not-even-that"])
        #expect(wrong.errorCode == "E062108")
        let replaced = try await server.call(
            "password/replace",
            ["loginId": login, "oldPassword": "temporary-secret", "newPassword": "another-horse-battery"])
        #expect(replaced.status == 200)
        let answer = try await server.call("password/signin", ["loginId": login, "password": "another-horse-battery"])
        #expect(answer.status == 200)
        #expect(try await server.manage("user/password/expire", ["loginId": login]).status == 200)
        let over = try await server.call("password/signin", ["loginId": login, "password": "another-horse-battery"])
        #expect(over.errorCode == "E062909")
        await server.stop()
    }

    @Test func `an embedded link signs in once`() async throws {
        let server = try await TestServer.start()
        let made = try await server.manage(
            "user/signin/embeddedlink",
            ["loginId": .string(TestServer.username), "customClaims": ["k": 1], "timeout": 60])
        let token = made.json["token"] ?? .null
        #expect(try await server.call("magiclink/verify", ["token": token]).status == 200)
        #expect(try await server.call("magiclink/verify", ["token": token]).errorCode == "E063010")
        #expect(try await server.call("user/signin/embeddedlink", [:]).status == 404)
        await server.stop()
    }
}
