import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Addresses, and who they belong to, under attack")
struct AddressAttackTests {
    private static let victim = "victim@example.com"
    private static let mallory = "mallory@example.com"

    private func token(_ link: String?) throws -> JSONValue {
        .string(String(try #require(link?.split(separator: "t=", maxSplits: 1).last?.prefix { $0 != "&" })))
    }

    /// Both have accounts, and Mallory asks for the victim's address as one of her own.
    private func ask(_ path: String, _ server: TestServer, merging: Bool) async throws -> (
        owner: EndpointAnswer, mallory: EndpointAnswer, message: OutgoingMessage
    ) {
        let owner = try await server.signUpByCode(Self.victim)
        let mallory = try await server.signUpByCode(Self.mallory)
        let body: JSONValue = [
            "loginId": .string(Self.mallory), "email": .string(Self.victim), "addToLoginIDs": true,
            "onMergeUseExisting": .bool(merging),
        ]
        #expect(try await server.call("\(path)/update/email", body, refresh: mallory.refreshJWT).status == 200)
        return (owner, mallory, try await server.message(to: Self.victim))
    }

    /// Neither of the two got anything of the other's.
    private func expectApart(_ server: TestServer, _ owner: EndpointAnswer, _ mallory: EndpointAnswer) async throws {
        let account = try #require(try await server.account(Self.victim))
        #expect(.string(account.user.id.rawValue) == owner.json["user"]?["userId"])
        #expect(account.identifiers.count == 1)
        let other = try #require(try await server.account(Self.mallory))
        #expect(.string(other.user.id.rawValue) == mallory.json["user"]?["userId"])
        #expect(other.identifiers.count == 1 && other.email == Self.mallory)
        #expect(try await server.call("refresh", [:], refresh: owner.refreshJWT).status == 200)
        #expect(try await server.call("refresh", [:], refresh: mallory.refreshJWT).status == 200)
    }

    @Test(arguments: [true, false])
    func `91: a click on somebody else's link gives no account away`(_ merging: Bool) async throws {
        let server = try await TestServer.start()
        let asked = try await ask("magiclink", server, merging: merging)
        #expect(asked.message.kind == .verifyAddress)
        let clicked = try await server.call("magiclink/verify", ["token": try token(asked.message.links.first)])
        #expect(clicked.errorCode == "E062107" && clicked.refreshJWT == nil)
        let again = try await server.call("magiclink/verify", ["token": try token(asked.message.links.first)])
        #expect(again.errorCode == "E063010")
        try await expectApart(server, asked.owner, asked.mallory)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `91: nor does an enchanted link, whichever of three is clicked`(_ merging: Bool) async throws {
        let server = try await TestServer.start()
        let owner = try await server.signUpByCode(Self.victim)
        let mallory = try await server.signUpByCode(Self.mallory)
        let body: JSONValue = [
            "loginId": .string(Self.mallory), "email": .string(Self.victim), "addToLoginIDs": true,
            "onMergeUseExisting": .bool(merging),
        ]
        let path = "enchantedlink/update/email"
        let started = try await server.call(path, body, refresh: mallory.refreshJWT)
        let message = try await server.message(to: Self.victim)
        let numbers = try #require(message.values[MessageValue.linkIDs]?.split(separator: " ").map(String.init))
        let right = try #require(numbers.firstIndex(of: started.json["linkId"]?.stringValue ?? ""))
        let clicked = try await server.call("enchantedlink/verify", ["token": try token(message.links[right])])
        #expect(clicked.status == 400 && clicked.errorCode == "E062107")
        let reference = started.json["pendingRef"] ?? .null
        let waited = try await server.call("enchantedlink/pending-session", ["pendingRef": reference])
        #expect(waited.status != 200 && waited.refreshJWT == nil, "Mallory gets nothing by waiting")
        try await expectApart(server, owner, mallory)
        await server.stop()
    }

    @Test func `91: nor does the page that a link leads to`() async throws {
        let server = try await TestServer.start()
        let asked = try await ask("magiclink", server, merging: true)
        let browser = server.browser()
        let page = try await browser.open(try #require(asked.message.links.first))
        #expect(page.status == 200)
        let done = try await browser.submit(page, ["action": "allow"])
        #expect(done.status >= 400 || done.hasProblem || done.page == "error" || done.page == "link")
        #expect(browser.cookieJar["keyturn-session"] == nil)
        try await expectApart(server, asked.owner, asked.mallory)
        await server.stop()
    }

    @Test func `85: a code for another address signs nobody in on the page`() async throws {
        let server = try await TestServer.start()
        let session = try await server.signUpByCode(Self.victim)
        // Mistyped, so that a stranger reads it.
        let body: JSONValue = ["loginId": .string(Self.victim), "email": "stranger@example.com", "addToLoginIDs": true]
        #expect(try await server.call("otp/update/email", body, refresh: session.refreshJWT).status == 200)
        let code = try #require(try await server.message(to: "stranger@example.com").code)
        let stranger = server.browser()
        let page = try await server.askForCode(stranger, name: Self.victim)
        #expect(page.page == "code")
        let answer = try await stranger.submit(page, ["code": code])
        #expect(answer.status == 422 && stranger.cookieJar["keyturn-session"] == nil)
        #expect(try await server.account("stranger@example.com") == nil)
        #expect(try await server.account(Self.victim)?.email == Self.victim)
        await server.stop()
    }

    @Test func `what a stranger sends along becomes no word of a message`() async throws {
        let server = try await TestServer.start()
        let options: JSONValue = [
            "templateOptions": [
                "appName": "Your Bank", "minutes": "9999", "linkID": "99", "linkIDs": "11 11 11",
                "newAddress": "<b>pay here</b>", "inviter": "The Boss", "domain": "evil.test", "device": "x",
                "when": "now",
            ],
            "templateId": "evil",
        ]
        let login: JSONValue = .string(TestServer.username)
        let sends: [(String, JSONValue)] = [
            ("otp/signin/email", ["loginId": login, "loginOptions": options]),
            ("otp/signup-in/email", ["loginId": login, "loginOptions": options]),
            (
                "otp/signup/email",
                ["loginId": "new@example.com", "user": ["name": "Your Bank"], "loginOptions": options]
            ),
            ("magiclink/signin/email", ["loginId": login, "loginOptions": options]),
            ("enchantedlink/signin/email", ["loginId": login, "loginOptions": options]),
            ("password/reset", ["loginId": login, "templateOptions": options["templateOptions"] ?? .null]),
        ]
        for (path, body) in sends {
            #expect(try await server.call(path, body).status == 200, "\(path)")
            let address = path == "otp/signup/email" ? "new@example.com" : TestServer.username
            let values = try await server.message(to: address).values
            #expect(values[MessageValue.appName] == "Test" && values[MessageValue.minutes] == "10", "\(path)")
            let others = Set(values.keys).subtracting([MessageValue.appName, MessageValue.minutes])
            #expect(others == (path.hasPrefix("enchanted") ? [MessageValue.linkIDs] : []), "\(path)")
            #expect(values[MessageValue.linkIDs] != "11 11 11", "\(path)")
        }
        await server.stop()
    }

    @Test func `a taken address: refused where a secret is chosen, and where mail is sent only its owner hears of it`()
        async throws
    {
        let server = try await TestServer.start()
        let login: JSONValue = .string(TestServer.username)
        let password = try await server.call(
            "password/signup", ["loginId": login, "password": "strangers-own-secret"])
        #expect(password.status == 400 && password.errorCode == "E062107")
        let totp = try await server.call("totp/signup", ["loginId": login])
        #expect(totp.status == 400 && totp.errorCode == "E062107" && totp.json["key"] == nil)
        for path in ["otp/signup/email", "magiclink/signup/email", "enchantedlink/signup/email"] {
            let taken = try await server.call(path, ["loginId": login, "user": ["name": "Mallory"]])
            let free = try await server.call(path, ["loginId": "free@example.com", "user": ["name": "Mallory"]])
            #expect(taken.status == 200 && free.status == 200, "\(path)")
            #expect(taken.json.objectValue?.keys.sorted() == free.json.objectValue?.keys.sorted(), "\(path)")
            #expect(try await server.message(to: TestServer.username).kind == .alreadyRegistered, "\(path)")
        }
        #expect(try await server.account(TestServer.username)?.user.claims["name"] == "Andy Rhoads")
        let still = try await server.call(
            "password/signin", ["loginId": login, "password": .string(TestServer.password)])
        #expect(still.status == 200)
        await server.stop()
    }

    @Test(arguments: ["/v1/mgmt/nothing", "/v1/auth/nothing", "/v2/nothing", "/v1/", "/v1/mgmt/user/create/nothing"])
    func `where nobody answers, programs are told so in JSON, and people on a page`(_ path: String) async throws {
        let server = try await TestServer.start()
        for method in ["GET", "POST"] {
            let bearer = "test:\(TestServer.managementKey)"
            let answer = try await server.call(method, path, bearer: bearer, method == "POST" ? [:] : nil)
            #expect(answer.status == 404 && answer.errorCode == "E011001")
        }
        let wrongMethod = try await server.call("DELETE", "/v1/mgmt/user/create", bearer: "test")
        #expect(wrongMethod.status == 405 && wrongMethod.errorCode == "E011001")
        let page = try await server.browser().open("/nothing")
        #expect(page.status == 404 && page.page == "error")
        await server.stop()
    }
}
