import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Synchronization
import Testing

@Suite("Passwords at a directory")
struct DirectoryPasswordTests {
    @Test func `a person of the directory gets an account, and is known under each name`() async throws {
        let fixture = try await DirectoryFixture.start()
        #expect(try await fixture.signsIn("jane@a.example"))
        let account = try #require(try await fixture.server.account("jane@a.example"))
        #expect(account.isEmailVerified && account.user.displayName == "Jane Doe" && account.passwordHash == nil)
        #expect(try await fixture.signsIn("jane"))
        #expect(try await fixture.holder == account.user.id)
        let call = try await fixture.call("jane")
        #expect(call.status == 200 && call.json["firstSeen"] == false)
        #expect(call.json["user"]?["userId"]?.stringValue == account.user.id.rawValue)
        await fixture.server.stop()
    }

    @Test func `a wrong password, an unknown name and a directory's reason have one answer`() async throws {
        let fixture = try await DirectoryFixture.start()
        #expect(try await fixture.signsIn("jane"))
        fixture.directory.add(
            .init(
                profile: DirectoryFixture.profile("off", email: nil), password: DirectoryFixture.password,
                names: ["off"], isDisabled: true))
        var pages: Set<String> = []
        var calls: Set<String> = []
        for (name, password) in [
            ("jane", "wrong"), ("nobody", DirectoryFixture.password), ("off", DirectoryFixture.password), ("jane", ""),
        ] {
            let page = try await fixture.type(name, password)
            #expect(page.status == 422 && page.page == "login", "\(name)")
            pages.insert(page.body.contains("The name or password is incorrect") ? "wrong" : page.body)
            guard !password.isEmpty else { continue }
            let call = try await fixture.call(name, password)
            calls.insert("\(call.status) \(call.body)")
        }
        #expect(pages == ["wrong"] && calls.count == 1, "\(calls)")
        // For a name without an entry the directory is asked about a password as well.
        #expect(fixture.directory.binds.contains(nil))
        #expect(fixture.directory.binds.count == 7, "an empty password is not sent (L-1)")
        await fixture.server.stop()
    }

    @Test func `people who are not from the directory keep their own password`() async throws {
        let fixture = try await DirectoryFixture.start()
        #expect(try await fixture.signsIn(TestServer.username, TestServer.password))
        #expect(fixture.directory.searches == [])
        #expect(try await fixture.type(TestServer.username, "wrong").status == 422)
        #expect(fixture.directory.searches == [TestServer.username], "as for a name that is unknown")
        await fixture.server.stop()
    }

    @Test func `a password that is kept here is none for a person of the directory`() async throws {
        let fixture = try await DirectoryFixture.start()
        #expect(try await fixture.signsIn("jane@a.example"))
        let set = try await fixture.server.manage(
            "user/password/set/active", ["loginId": "jane@a.example", "password": "a-local-password-1"])
        #expect(set.status == 200, "\(set.body)")
        #expect(try await fixture.type("jane@a.example", "a-local-password-1").status == 422)
        #expect(try await fixture.call("jane@a.example", "a-local-password-1").status != 200)
        #expect(try await fixture.signsIn("jane@a.example"))
        await fixture.server.stop()
    }

    @Test func `a directory that does not answer is said in words, and other people sign in`() async throws {
        let fixture = try await DirectoryFixture.start()
        fixture.directory.fails(ConnectionProblem(.unavailable, code: "ldap_timeout"))
        for name in ["jane", "nobody"] {
            let page = try await fixture.type(name)
            #expect(page.status == 503 && page.body.contains("Acme directory doesn’t answer right now"))
            #expect(page.body.contains("Email me a code or link") || page.body.contains("Send me a code or link"))
            let call = try await fixture.call(name)
            #expect(call.status == 400 && call.body.contains("The directory does not answer"), "\(call.body)")
        }
        #expect(try await fixture.signsIn(TestServer.username, TestServer.password))
        fixture.directory.fails(nil)
        #expect(try await fixture.signsIn("jane"))
        await fixture.server.stop()
    }

    @Test func `F-2: an address that the directory writes links nothing before its owner signs in`() async throws {
        let fixture = try await DirectoryFixture.start(
            DirectoryFixture.profile(email: TestServer.username, trust: .unverified))
        let browser = fixture.server.browser()
        let page = try await fixture.type("jane", in: browser)
        #expect(page.page == "login" && page.body.contains("to link Acme directory with it"))
        #expect(try await fixture.holder == nil)
        let done = try await fixture.server.complete(page, in: browser)
        #expect(try FederationFixture.hasCode(done))
        #expect(try await fixture.holder == TestServer.subject)
        #expect(try await fixture.signsIn("jane"))
        let call = try await fixture.call("jane")
        #expect(call.json["user"]?["userId"]?.stringValue == TestServer.subject.rawValue)
        await fixture.server.stop()
    }

    @Test func `L-9: the same name for another person is another user`() async throws {
        let fixture = try await DirectoryFixture.start(DirectoryFixture.profile(email: nil))
        #expect(try await fixture.signsIn("jane"))
        let first = try await fixture.holder
        fixture.directory.remove("jane")
        fixture.directory.add(
            .init(
                profile: DirectoryFixture.profile("jane-2", email: nil), password: DirectoryFixture.password,
                names: ["jane"]))
        #expect(try await fixture.signsIn("jane"))
        let second = try await fixture.server.services.stores.identities.identity(
            DirectoryFixture.profile("jane-2").key(at: "staff"))?.userID
        #expect(first != nil && second != nil && first != second)
        await fixture.server.stop()
    }

    @Test func `L-10: guesses stop before the directory counts enough of them to lock the entry`() async throws {
        let fixture = try await DirectoryFixture.start()
        for number in 0..<30 {
            // Another name and another time for each: what is counted is the entry.
            fixture.directory.change("jane") { $0.names.insert("alias-\(number)") }
            let page = try await fixture.type("alias-\(number)", "wrong-\(number)")
            #expect(page.status == (number < Int(Limits.directoryGuessesMax) ? 422 : 429), "\(number)")
            fixture.server.clock.advance(10)
        }
        #expect(fixture.directory.binds.count == Int(Limits.directoryGuessesMax))
        #expect(try await fixture.type("jane").status == 429)
        fixture.server.clock.advance(Limits.directoryGuessSeconds)
        #expect(try await fixture.signsIn("jane"))
        await fixture.server.stop()
    }

    @Test func `L-12: the password is nowhere in the database`() async throws {
        let written = Mutex("")
        let fixture = try await DirectoryFixture.start(onStatement: { text in written.withLock { $0 += text } })
        #expect(try await fixture.signsIn("jane@a.example"))
        #expect(try await fixture.call("jane").status == 200)
        _ = try await fixture.server.services.auditLog.flush()
        #expect(written.withLock { $0 }.contains("federated_identity"))
        #expect(!written.withLock { $0 }.contains(DirectoryFixture.password))
        let account = try await fixture.server.account("jane@a.example")
        #expect(account != nil && account?.passwordHash == nil)
        await fixture.server.stop()
    }
}
