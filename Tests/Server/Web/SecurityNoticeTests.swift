import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Notices of changes to an account")
struct SecurityNoticeTests {
    private static let fresh = "another-fine-phrase"
    private static let origin = SessionOrigin(address: "192.0.2.7", device: "Firefox on Linux")

    private func notices(_ server: TestServer, to address: String = TestServer.username) async throws
        -> [OutgoingMessage]
    {
        try await server.services.messages.newest(limit: 200).map(\.message).filter { $0.to == address }
    }

    @Test func `91: a new password is told with the time, the browser, the network and a way to the settings`()
        async throws
    {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.visit("/settings/password", in: browser)
        #expect(
            try await server.send(
                page, in: browser, ["current_password": TestServer.password, "password": Self.fresh]
            ).hasNotice)
        let notice = try await server.message(to: TestServer.username)
        #expect(notice.kind == .passwordChanged && notice.locale == "en")
        #expect(notice.links == ["\(server.issuer)/settings"])
        #expect(notice.values[MessageValue.networkAddress] == "127.0.0.1")
        #expect(notice.values[MessageValue.when]?.hasSuffix(" UTC") == true)
        await server.stop()
    }

    @Test(arguments: ["replace", "reset", "update", "management"])
    func `91: a new password is told, once, whoever set it`(_ way: String) async throws {
        let server = try await TestServer.start()
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
            #expect(try await browser.submit(page, ["password": Self.fresh]).status == 303)
        case "update":
            let session = try await server.session().refreshJWT
            let answer = try await server.call(
                "password/update", ["loginId": name, "newPassword": .string(Self.fresh)], refresh: session?.exposed())
            #expect(answer.status == 200)
        default:
            let answer = try await server.manage(
                "user/password/set/active", ["loginId": name, "password": .string(Self.fresh)])
            #expect(answer.status == 200)
        }
        let told = try await notices(server).filter { $0.kind == .passwordChanged }
        #expect(told.count == 1)
        #expect(told.first?.values[MessageValue.networkAddress] == (way == "management" ? nil : "127.0.0.1"))
        await server.stop()
    }

    @Test func `91: an authenticator app that management removed, and an address that it replaced, are told`()
        async throws
    {
        let server = try await TestServer.start()
        let name = JSONValue.string(TestServer.username)
        _ = try await server.giveAuthenticator(to: TestServer.username)
        #expect(try await server.manage("user/totp/delete", ["loginId": name]).status == 200)
        #expect(try await server.message(to: TestServer.username).kind == .authenticatorRemoved)
        let change: JSONValue = ["loginId": name, "email": "andy2@example.com", "verified": true]
        #expect(try await server.manage("user/update/email", change).status == 200)
        let notice = try await server.message(to: TestServer.username)
        #expect(notice.kind == .addressChanged)
        #expect(notice.values[MessageValue.newAddress]?.contains("andy2") == false)
        await server.stop()
    }

    @Test func `every proved mailbox is told, and a telephone where there is none`() async throws {
        let server = try await TestServer.start()
        let account = try #require(try await server.account(TestServer.username))
        var two = account
        two.identifiers[try #require(Identifier(loginID: "second@example.com"))] = .verified
        two.identifiers[try #require(Identifier(loginID: "unproved@example.com"))] = .unverified
        two.identifiers[try #require(Identifier(loginID: "+15550001111"))] = .verified
        let now = server.clock.now
        await server.services.notices.send(.passkeyAdded, to: two, from: Self.origin, at: now)
        #expect(try await notices(server).count == 1)
        #expect(try await notices(server, to: "second@example.com").count == 1)
        #expect(try await notices(server, to: "unproved@example.com").isEmpty)
        #expect(try await notices(server, to: "+15550001111").isEmpty)
        var phone = account
        phone.identifiers = [try #require(Identifier(loginID: "+15550001111")): .verified]
        phone.set(.email, nil, isVerified: false)
        await server.services.notices.send(.passkeyAdded, to: phone, from: Self.origin, at: now)
        #expect(try await notices(server, to: "+15550001111").map(\.channel) == [.sms])
        await server.stop()
    }

    @Test func `91: the address that was taken away is told where it is, and the new one is not`() async throws {
        let server = try await TestServer.start()
        let account = try #require(try await server.account(TestServer.username))
        let old = try #require(Identifier(loginID: TestServer.username))
        let new = try #require(Identifier(loginID: "thief@example.com"))
        var changed = account
        changed.identifiers[new] = .verified
        let now = server.clock.now
        await server.services.notices.send(.addressRemoved(old), to: changed, from: Self.origin, at: now)
        await server.services.notices.send(.addressChanged(from: old, to: new), to: changed, from: Self.origin, at: now)
        #expect(try await notices(server).map(\.kind) == [.addressRemoved, .addressChanged])
        #expect(try await notices(server, to: "thief@example.com").map(\.kind) == [.addressRemoved])
        await server.stop()
    }

    @Test func `91: ten addresses that were added in front do not keep the removed one from being told`() async throws {
        let server = try await TestServer.start()
        let account = try #require(try await server.account(TestServer.username))
        let old = try #require(Identifier(loginID: "zoe@example.com"))
        var changed = account
        changed.identifiers[old] = .verified
        for number in 0..<Limits.identifiersOfUserMax {
            changed.identifiers[try #require(Identifier(loginID: "a\(number)@evil.example"))] = .verified
        }
        await server.services.notices.send(.addressRemoved(old), to: changed, from: Self.origin, at: server.clock.now)
        #expect(try await notices(server, to: "zoe@example.com").map(\.kind) == [.addressRemoved])
        #expect(try await notices(server).map(\.kind) == [.addressRemoved])
        await server.stop()
    }

    @Test func `113: notices of one kind are bounded in a day, and another kind still comes through`() async throws {
        let server = try await TestServer.start()
        let account = try #require(try await server.account(TestServer.username))
        let send = { (notice: SecurityNotice) in
            await server.services.notices.send(notice, to: account, from: Self.origin, at: server.clock.now)
        }
        for _ in 0...Limits.noticesOfKindMax { await send(.passkeyAdded) }
        #expect(try await notices(server).count == Int(Limits.noticesOfKindMax))
        #expect(try await server.audited().contains("notice.not_sent"))
        await send(.passwordChanged)
        #expect(try await notices(server).last?.kind == .passwordChanged)
        server.clock.advance(Limits.noticeWindowSeconds)
        await send(.passkeyAdded)
        #expect(try await notices(server).last?.kind == .passkeyAdded)
        await server.stop()
    }

    @Test func `an account of its own identifier is told, and one that is not there is not`() async throws {
        let server = try await TestServer.start()
        let notices = server.services.notices
        let address = NetworkAddress("192.0.2.9")
        let end = SecurityNotice.sessionEnded(clientName: nil)
        await notices.send(end, to: TestServer.subject, from: address, at: server.clock.now)
        await notices.send(end, to: UserID(rawValue: "nobody"), from: address, at: server.clock.now)
        #expect(try await self.notices(server).map(\.kind) == [.sessionEnded])
        await server.stop()
    }
}
