import Identity
import KeyturnAuthenticator
import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Settings: passkeys")
struct SettingsPasskeyTests {
    private static let path = "/settings/passkeys"

    private static let carl = "carl@example.com"
    private static let carlID = UserID(rawValue: "33333333-3333-4333-8333-333333333333")

    /// Somebody without a password, whose address is proved or not.
    private func addCarl(_ server: TestServer, isProved: Bool) async throws {
        let user = User(id: Self.carlID, claims: [:], createdAt: server.clock.now, updatedAt: server.clock.now)
        let name = try #require(Identifier(loginID: Self.carl))
        try await server.services.stores.users.create(
            Account(user: user, identifiers: [name: isProved ? .verified : .unverified], passwordHash: nil))
    }

    @Test func `one is added, renamed, switched off and on, and removed, and the device hears of it`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let empty = try await server.visit(Self.path, in: device.browser)
        #expect(empty.page == "settings-passkeys" && empty.signals.isEmpty)
        let added = try await device.press(empty, action: "add")
        #expect(added.page == "settings-passkeys" && added.hasNotice && !added.hasProblem)
        let passkey = try #require(try await server.passkeys().first)
        let id = Base64URL.encode(passkey.record.id)
        #expect(added.signals["signalAllAcceptedCredentials"]?["allAcceptedCredentialIds"] == [.string(id)])

        // The session has shown it by making it: another one may be added, and the device knows that it has one.
        let page = added
        #expect(page.passkeyOptions?["excludeCredentials"]?.arrayValue?.first?["id"] == .string(id))
        #expect(throws: SoftwareAuthenticator.Refusal.excluded) { try device.answer(page) }

        let named = try await server.send(
            page, in: device.browser, ["action": "rename", "id": passkey.id.rawValue, "name": " <b>Blue</b> key "])
        #expect(named.hasNotice && named.body.contains("&lt;b&gt;Blue&lt;/b&gt; key"))
        for bad in ["", "   ", String(repeating: "x", count: 65), "two\nlines"] {
            let refused = try await server.send(
                page, in: device.browser, ["action": "rename", "id": passkey.id.rawValue, "name": bad])
            #expect(refused.status == 422 && refused.hasProblem)
        }
        #expect(try await server.passkeys().first?.name == "<b>Blue</b> key")

        for action in ["off", "on"] {
            let switched = try await server.send(
                page, in: device.browser, ["action": action, "id": passkey.id.rawValue])
            #expect(switched.hasNotice && switched.signals["signalAllAcceptedCredentials"] != nil)
            #expect(try await server.passkeys().first?.isActive == (action == "on"))
        }

        let question = try await device.browser.open("\(Self.path)/remove?id=\(passkey.id.rawValue)")
        #expect(question.page == "settings-passkey-remove" && question.body.contains("only passkey"))
        let kept = try await server.send(question, in: device.browser, ["action": "deny", "id": passkey.id.rawValue])
        #expect(kept.page == "settings-passkeys")
        #expect(try await server.passkeys().count == 1)
        let removed = try await server.send(
            question, in: device.browser, ["action": "remove", "id": passkey.id.rawValue])
        #expect(removed.page == "settings-passkeys" && removed.hasNotice)
        #expect(removed.signals["signalUnknownCredential"]?["credentialId"] == .string(id))
        #expect(try await server.passkeys().isEmpty)
        #expect(
            try await server.audited().isSuperset(of: ["passkey.added", "passkey.changed", "passkey.removed"]))
        await server.stop()
    }

    @Test(arguments: [(true, false), (false, true)])
    func `the only way in stays`(_ isProved: Bool, _ hasMail: Bool) async throws {
        // Nobody is reached by mail: an address of theirs is not proved, or no mail is sent here at all.
        let server = try await TestServer.startWithPasskeys(channels: hasMail ? [.email] : [])
        var device = PasskeyDevice(server)
        var other = PasskeyDevice(server)
        try await addCarl(server, isProved: isProved)
        let one = try await server.givePasskey(to: Self.carl, on: &device)
        let two = try await server.givePasskey(to: Self.carl, on: &other)
        let page = try await device.visit(Self.path)
        #expect(page.page == "settings-passkeys")
        let off = try await server.send(page, in: device.browser, ["action": "off", "id": two.id.rawValue])
        #expect(off.hasNotice, "another one is left")
        for action in ["off", "remove"] {
            let question = try await device.browser.open("\(Self.path)/remove?id=\(one.id.rawValue)")
            #expect(question.hasProblem && !question.body.contains("value=\"remove\""))
            let kept =
                action == "off"
                ? try await server.send(page, in: device.browser, ["action": "off", "id": one.id.rawValue])
                : try await server.send(
                    try await device.browser.open("\(Self.path)/remove?id=\(two.id.rawValue)"), in: device.browser,
                    ["action": "remove", "id": one.id.rawValue])
            #expect(kept.status == 422 && kept.hasProblem, "\(action)")
        }
        #expect(try await server.passkeys(of: Self.carlID).first { $0.id == one.id }?.isActive == true)
        let gone = try await server.send(
            try await device.browser.open("\(Self.path)/remove?id=\(two.id.rawValue)"), in: device.browser,
            ["action": "remove", "id": two.id.rawValue])
        #expect(gone.hasNotice, "one that is switched off lets nobody in")
        await server.stop()
    }

    @Test func `of many that go at once the last one stays`() async throws {
        let server = try await TestServer.startWithPasskeys()
        try await addCarl(server, isProved: false)
        for _ in 0..<4 {
            var device = PasskeyDevice(server)
            try await server.givePasskey(to: Self.carl, on: &device)
        }
        let owner = try await server.owner(Self.carl)
        let passkeys = server.services.methods.passkeys
        let outcomes = try await withThrowingTaskGroup(of: UserPasskeys.Removal.self) { group in
            for (number, passkey) in try await server.passkeys(of: Self.carlID).enumerated() {
                group.addTask {
                    var owner = owner
                    while true {
                        do {
                            return number.isMultiple(of: 2)
                                ? try await passkeys.remove(passkey.id, of: owner, leaving: .every)
                                : try await passkeys.setActive(false, passkey.id, of: owner, leaving: .every)
                        } catch let error as StoreError where error.code == .forbidden {
                            // Another one was faster: the account is not what it was, and the button is pressed again.
                            if let again = try? await server.owner(Self.carl) { owner = again }
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == .done } == 3 && outcomes.count { $0 == .isOnlyWay } == 1, "\(outcomes)")
        #expect(try await server.passkeys(of: Self.carlID).count(where: \.isActive) == 1)
        await server.stop()
    }

    @Test func `nobody changes another's passkey, nor learns of it`() async throws {
        let server = try await TestServer.startWithPasskeys()
        try await server.addBea()
        var bea = PasskeyDevice(server)
        let hers = try await server.givePasskey(to: "bea@example.com", on: &bea)
        let browser = server.browser()
        let page = try await server.visit(Self.path, in: browser)
        for action in ["rename", "off", "on"] {
            let answer = try await server.send(
                page, in: browser, ["action": action, "id": hers.id.rawValue, "name": "mine"])
            let unknown = try await server.send(
                page, in: browser, ["action": action, "id": "ctl_none", "name": "mine"])
            #expect(answer.status == unknown.status && !answer.hasNotice && !answer.body.contains("ctl_"))
        }
        let question = try await browser.open("\(Self.path)/remove?id=\(hers.id.rawValue)")
        #expect(question.page == "settings-passkeys")
        let forget = try await browser.open("\(Self.path)?done=removed&forget=\(Base64URL.encode(hers.record.id))")
        #expect(forget.signals.isEmpty, "no link makes a browser forget what is good")
        let mine = try await server.givePasskeyToAndy()
        let own = try await browser.open("\(Self.path)/remove?id=\(mine.rawValue)")
        #expect(own.page == "methods", "whoever has the password alone removes no passkey: it is asked for")
        let removed = try await server.send(question, in: browser, ["action": "remove", "id": hers.id.rawValue])
        #expect(!removed.hasNotice)
        let left = try #require(
            try await server.passkeys(of: UserID(rawValue: "22222222-2222-4222-8222-222222222222")).first)
        #expect(left.id == hers.id && left.isActive && left.name == hers.name)
        await server.stop()
    }

    @Test func `18: no form counts without its mark, and none after ten minutes`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let passkey = try await server.givePasskey(on: &device)
        let page = try await device.visit(Self.path)
        let removal = try await device.browser.open("\(Self.path)/remove?id=\(passkey.id.rawValue)")
        var second = PasskeyDevice(server)
        let answer = try second.answer(page)
        for (path, action) in [("", "add"), ("", "rename"), ("", "off"), ("/remove", "remove")] {
            var form = FormParameters()
            form.append("action", action)
            form.append("id", passkey.id.rawValue)
            form.append("name", "x")
            form.append("passkey", answer)
            #expect(try await device.browser.post(Self.path + path, form).status == 403)
            // The mark of the one page is none for the other.
            form.append("csrf", (path.isEmpty ? removal : page).hidden("csrf").first)
            #expect(try await device.browser.post(Self.path + path, form).status == 403, "\(action)")
        }
        server.clock.advance(Limits.sensitiveSeconds + 1)
        for action in ["rename", "off"] {
            let late = try await server.send(
                page, in: device.browser, ["action": action, "id": passkey.id.rawValue, "name": "x"])
            #expect(late.page == "login", "\(action)")
        }
        let lateRemoval = try await server.send(
            removal, in: device.browser, ["action": "remove", "id": passkey.id.rawValue])
        #expect(lateRemoval.page == "login")
        let lateAnswer = try await device.post(page, answer, action: "add")
        #expect(lateAnswer.status == 422, "its challenge is over")
        let old = try await device.browser.open(Self.path)
        #expect(old.passkeyOptions == nil && old.body.contains("value=\"sign-in\""))
        let doubled: KeyValuePairs<String, String?> = ["action": "sign-in", "id": "a", "id": "b"]
        #expect(try await server.send(old, in: device.browser, doubled).status == 400)
        #expect(try await server.send(old, in: device.browser, ["action": "sign-in"]).page == "login")
        let all = try await server.passkeys()
        #expect(all.count == 1 && all[0].isActive && all[0].name == passkey.name)
        await server.stop()
    }

    @Test func `94: what one session was asked, another one does not answer`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let page = try await device.visit(Self.path)
        var second = PasskeyDevice(server)
        let answer = try second.answer(page)
        var other = device.elsewhere(server)
        let stolen = try await other.post(try await other.visit(Self.path), answer, action: "add")
        #expect(stolen.status == 422 && stolen.hasProblem)
        #expect(try await device.post(page, answer, action: "add").hasNotice)
        let twice = try await device.post(page, answer, action: "add")
        #expect(twice.status == 422 && twice.hasProblem)
        #expect(try await server.passkeys().count == 2)
        await server.stop()
    }

    @Test func `89: a session from before the authenticator adds no passkey beside it`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let page = try await server.visit(Self.path, in: device.browser)
        let answer = try device.answer(page)
        let authenticator = try await server.giveAuthenticator()
        let asked = try await device.post(page, answer, action: "add")
        #expect(asked.page == "code" && asked.url.contains("/login/authenticator"))
        #expect(try await server.passkeys().isEmpty)
        let back = try await device.browser.submit(
            asked, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(back.page == "settings-passkeys" && back.passkeyOptions != nil)
        device.authenticator = PasskeyDevice(server).authenticator
        #expect(try await device.press(back, action: "add").hasNotice)
        await server.stop()
    }

    @Test func `89: another passkey is added in a sign-in with the one that is there`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let page = try await server.visit(Self.path, in: device.browser)
        #expect(
            page.passkeyOptions == nil && page.body.contains("value=\"sign-in\""), "the password was enough to look")
        let asked = try await server.send(page, in: device.browser, ["action": "sign-in"])
        #expect(asked.page == "methods" && asked.url.contains("/login/methods"))
        let back = try await device.press(asked)
        #expect(back.page == "settings-passkeys" && back.passkeyOptions != nil)
        var key = PasskeyDevice(server)
        #expect(try await device.post(back, try key.answer(back), action: "add").hasNotice)
        #expect(try await server.passkeys().count == 2)
        await server.stop()
    }

    @Test(arguments: [0, Limits.sensitiveSeconds + 1])
    func `89: two factors that are gone by now do not do for the passkey`(_ later: Int64) async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let account = try #require(try await server.account(TestServer.username))
        let facts = AuthenticationFacts(time: server.clock.now, methods: ["pwd", "otp", "mfa"], contextClass: "test")
        let (_, cookie) = try #require(
            try await server.services.signIn.openSession(for: account.user, facts, replacing: nil))
        device.browser.cookieJar["keyturn-session"] = cookie.exposed()
        server.clock.advance(later)
        let page = try await device.browser.open(Self.path)
        #expect(page.page == "settings-passkeys" && page.passkeyOptions == nil)
        let asked = try await server.send(page, in: device.browser, ["action": "sign-in"])
        #expect(asked.page == "login", "and not the same page once more")
        let back = try await device.press(asked)
        #expect(back.page == "settings-passkeys" && back.passkeyOptions != nil)
        await server.stop()
    }

    @Test func `a new name is told to the device`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let passkey = try await server.givePasskey(on: &device)
        let page = try await server.visit("/settings/profile", in: device.browser)
        #expect(page.signals.isEmpty)
        let saved = try await server.send(page, in: device.browser, ["name": "Andrea"])
        let details = try #require(saved.signals["signalCurrentUserDetails"])
        #expect(details["displayName"] == "Andrea" && details["name"] == .string(TestServer.username))
        #expect(details["userId"] == .string(Base64URL.encode(passkey.record.userHandle)))
        await server.stop()
    }
}

extension TestServer {
    /// One more passkey of the person's, on a device that is of no further interest.
    fileprivate func givePasskeyToAndy() async throws -> PasskeyID {
        var device = PasskeyDevice(self)
        return try await givePasskey(on: &device).id
    }
}
