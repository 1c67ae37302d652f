import Foundation
import KeyturnBase
import KeyturnWebAuthn
import Model
import Testing

@testable import StoreSQL

@Suite("Passkeys in the database")
struct PasskeyStoreTests {
    let database: SQLiteDatabase
    let stores: Stores
    let now = UnixTime(rawValue: 1_000_000)
    let user: Account

    init() async throws {
        database = try SQLiteDatabase(path: nil)
        stores = database.stores()
        let identifier = try #require(Identifier(loginID: "andy@example.com"))
        user = Account(
            user: User(id: .make(.live), createdAt: now, updatedAt: now), identifiers: [identifier: .verified],
            passwordHash: "$argon2id$old")
        try await stores.users.create(user)
    }

    private func passkey(_ name: String, count: UInt32 = 0, at party: String = "example.com") -> StoredPasskey {
        StoredPasskey(
            id: PasskeyID(rawValue: "ctl_\(name)_\(party)"), relyingParty: party,
            record: CredentialRecord(
                id: Array(name.utf8), userHandle: [1, 2], publicKey: [3], signCount: count, uvInitialized: true,
                transports: ["internal", "hybrid"], backupEligible: true, backupState: false, aaguid: .zero),
            name: name, attestationFormat: "none", createdAt: now)
    }

    private func mark(_ text: String) -> SpentMark { SpentMark(of: Array(text.utf8), expiresAt: now + 300) }

    private func add(_ name: String, spending text: String? = nil, epoch: Int64 = 0) async throws -> PasskeyAddition {
        try await stores.passkeys.add(
            passkey(name), to: user.user.id, epoch: epoch, beside: true, max: 3, spending: mark(text ?? name), at: now)
    }

    private func race<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for number in 0..<count { group.addTask { try await body(number) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func `what is stored comes back as it was`() async throws {
        #expect(try await add("one") == .added)
        let found = try #require(try await stores.passkeys.passkey(Array("one".utf8), at: "example.com"))
        #expect(found.passkey == passkey("one") && found.owner == .user(user.user.id))
        #expect(try await stores.passkeys.passkey(Array("one".utf8), at: "other.example") == nil)
        #expect(try await stores.users.account(user.user.id)?.hasPasskey == true)
    }

    @Test func `94: of a hundred uses of one challenge one counts`() async throws {
        _ = try await add("one")
        let record = passkey("one").record
        let id = passkey("one").id
        let uses = try await race(100) { [stores, now, mark = mark("challenge")] _ in
            try await stores.passkeys.use(record, of: id, repeats: true, spending: mark, at: now)
        }
        #expect(uses.count { $0 == .used } == 1 && uses.count { $0 == .spent } == 99)
    }

    @Test func `100: of a hundred assertions with one counter one counts, and it never goes back`() async throws {
        _ = try await add("one")
        var record = passkey("one").record
        record.signCount = 7
        let id = passkey("one").id
        let uses = try await race(100) { [stores, now, record] number in
            let mark = SpentMark(of: [UInt8(number)], expiresAt: now + 300)
            return try await stores.passkeys.use(record, of: id, repeats: false, spending: mark, at: now)
        }
        #expect(uses.count { $0 == .used } == 1 && uses.count { $0 == .overtaken } == 99)
        record.signCount = 6
        #expect(
            try await stores.passkeys.use(record, of: id, repeats: false, spending: mark("later"), at: now)
                == .overtaken)
        let stored = try await stores.passkeys.passkey(record.id, at: "example.com")
        #expect(stored?.passkey.record.signCount == 7 && stored?.passkey.usedAt == now)
    }

    @Test func `102: of a hundred registrations of one credential one is kept`() async throws {
        let additions = try await race(100) { [stores, now, user, passkey = passkey("one")] number in
            let mark = SpentMark(of: [UInt8(number)], expiresAt: now + 300)
            return try await stores.passkeys.add(
                passkey, to: user.user.id, epoch: 0, beside: true, max: 200, spending: mark, at: now)
        }
        #expect(additions.count { $0 == .added } == 1 && additions.count { $0 == .taken } == 99)
    }

    @Test func `a token that is attached a hundred times at once makes one passkey and one user`() async throws {
        let site = SiteUser(id: "42", foldedID: "42", usernameDigests: [[0, 0, 0, 1, 7]])
        let additions = try await race(100) { [stores, now, passkey = passkey("one"), mark = mark("token")] _ in
            try await stores.passkeys.add(passkey, to: site, max: 3, spending: mark, at: now)
        }
        #expect(additions.count { $0 == .added } == 1 && additions.count { $0 == .spent } == 99)
        #expect(try await stores.passkeys.passkeys(of: .id(folded: "42"), at: "example.com").count == 1)
        #expect(
            try await stores.passkeys.passkeys(of: .username([[9], [0, 0, 0, 1, 7]]), at: "example.com").count == 1)
        #expect(try await stores.passkeys.passkeys(of: .id(folded: "42"), at: "other.example").isEmpty)
    }

    @Test func `a token that says who it was is redeemed once of a hundred times, and not for a passkey that is off`()
        async throws
    {
        let site = SiteUser(id: "42", foldedID: "42", usernameDigests: [])
        _ = try await stores.passkeys.add(passkey("one"), to: site, max: 3, spending: mark("token"), at: now)
        let id = passkey("one").id
        let users = try await race(100) { [stores, mark = mark("verify")] _ in
            try await stores.passkeys.redeem(mark, for: id, at: "example.com")?.siteUser
        }
        #expect(users.compactMap(\.self) == ["42"])
        _ = try await stores.passkeys.change(id, at: "example.com", name: nil, isActive: false)
        #expect(try await stores.passkeys.redeem(mark("next"), for: id, at: "example.com") == nil)
        _ = try await stores.passkeys.change(id, at: "example.com", name: nil, isActive: true)
        #expect(try await stores.passkeys.redeem(mark("next"), for: id, at: "example.com") != nil, "nothing was spent")
    }

    @Test func `a refused attachment leaves nothing, a refused passkey of a user leaves the spent challenge`()
        async throws
    {
        let first = SiteUser(id: "1", foldedID: "1", usernameDigests: [[0, 0, 0, 1, 7]])
        let second = SiteUser(id: "2", foldedID: "2", usernameDigests: [[0, 0, 0, 1, 7]])
        _ = try await stores.passkeys.add(passkey("one"), to: first, max: 1, spending: mark("a"), at: now)
        let mark = mark("b")
        for (name, user, refusal) in [
            ("two", second, PasskeyAddition.usernameTaken), ("one", second, .usernameTaken), ("two", first, .tooMany),
        ] {
            let addition = try await stores.passkeys.add(passkey(name), to: user, max: 1, spending: mark, at: now)
            #expect(addition == refusal)
        }
        let renamed = SiteUser(id: "1", foldedID: "1", usernameDigests: [[0, 0, 0, 1, 8]])
        let addition = try await stores.passkeys.add(passkey("two"), to: renamed, max: 9, spending: mark, at: now)
        #expect(addition == .usernameDiffers)
        #expect(try await stores.spent.spend(mark), "it was not spent")
        // The secret that made the first name is gone: the name that is given now takes its place.
        let renewed = SiteUser(id: "1", foldedID: "1", usernameDigests: [[0, 0, 0, 2, 9]])
        let again = try await stores.passkeys.add(
            passkey("two"), to: renewed, max: 9, spending: self.mark("c"), at: now)
        #expect(again == .added)
        #expect(try await stores.passkeys.passkeys(of: .username([[0, 0, 0, 2, 9]]), at: "example.com").count == 2)

        #expect(try await add("late", epoch: 1) == .overtaken)
        #expect(try await add("late") == .spent)
    }

    @Test func `a sign-up makes the user and the passkey, or neither`() async throws {
        let name = try #require(Identifier(loginID: "andy@example.com"))
        let taken = Account(
            user: User(id: .make(.live), createdAt: now, updatedAt: now), identifiers: [name: .unverified],
            passwordHash: nil)
        let refused = try await stores.passkeys.create(taken, with: passkey("one"), spending: mark("a"))
        #expect(refused == .usernameTaken)
        #expect(try await stores.passkeys.passkey(Array("one".utf8), at: "example.com") == nil)
        let fresh = try (0..<100).map { _ in
            Account(
                user: User(id: .make(.live), createdAt: now, updatedAt: now),
                identifiers: [try #require(Identifier(loginID: "bea")): .verified], passwordHash: nil)
        }
        let additions = try await race(100) { [stores, now] number in
            let mark = SpentMark(of: [UInt8(number)], expiresAt: now + 300)
            let name = "device \(number)"
            return try await stores.passkeys.create(fresh[number], with: passkey(name), spending: mark)
        }
        #expect(additions.count { $0 == .added } == 1 && additions.count { $0 == .usernameTaken } == 99)
    }

    @Test func `beside a strong factor nothing is added from a session without it, also in the same moment`()
        async throws
    {
        let additions = try await race(100) { [stores, now, user] number in
            let mark = SpentMark(of: [UInt8(number)], expiresAt: now + 300)
            return try await stores.passkeys.add(
                passkey("device \(number)"), to: user.user.id, epoch: 0, beside: false, max: 200, spending: mark,
                at: now)
        }
        #expect(additions.count { $0 == .added } == 1 && additions.count { $0 == .overtaken } == 99)
    }

    @Test func `an authenticator that waits for its first code goes when a passkey comes`() async throws {
        let pending = StoredAuthenticator(id: [1], sealed: [2], isConfirmed: false, usedStep: -1)
        _ = try await stores.authenticators.add(
            pending, of: .user(user.user.id), replaces: false, pendingMax: 3, expiresAt: now + 600, at: now)
        #expect(try await add("one") == .added)
        #expect(try await !stores.authenticators.accept(step: 7, of: [1], at: now))
        let late = StoredAuthenticator(id: [3], sealed: [2], isConfirmed: false, usedStep: -1)
        for replaces in [false, true] {
            let isAdded = try await stores.authenticators.add(
                late, of: .user(user.user.id), replaces: replaces, pendingMax: 3, expiresAt: now + 600, at: now)
            #expect(isAdded == replaces, "beside a passkey only from a session that has shown it")
        }
    }

    @Test func `whatever takes a passkey away overtakes who is signing in with it`() async throws {
        for (name, take) in [
            ("off", { try await stores.passkeys.change($0, of: user.user.id, name: nil, isActive: false, at: now) }),
            ("gone", { try await stores.passkeys.remove($0, of: user.user.id, at: now) }),
            ("all", { _ in try await stores.passkeys.removeAll(of: user.user.id, at: now) > 0 }),
        ] as [(String, (PasskeyID) async throws -> Bool)] {
            let account = try #require(try await stores.users.account(user.user.id))
            _ = try await add(name, epoch: account.user.epoch)
            let before = try #require(try await stores.users.account(user.user.id)).user.epoch
            #expect(try await take(passkey(name).id))
            #expect(try #require(try await stores.users.account(user.user.id)).user.epoch == before + 1)
            let use = try await stores.passkeys.use(
                passkey(name).record, of: passkey(name).id, repeats: true, spending: mark("\(name) again"), at: now)
            #expect(use == .overtaken)
        }
        let stranger = UserID.make(.live)
        _ = try await add("mine", epoch: try #require(try await stores.users.account(user.user.id)).user.epoch)
        #expect(try await !stores.passkeys.remove(passkey("mine").id, of: stranger, at: now))
        #expect(try await !stores.passkeys.change(passkey("mine").id, of: stranger, name: "x", isActive: nil, at: now))
    }

    @Test func `tables do not only grow: what was spent goes when it has expired, passkeys go with their user`()
        async throws
    {
        _ = try await add("one")
        #expect(try await stores.maintenance.removeExpired(limit: 10, at: now + 299) == 0)
        #expect(try await stores.maintenance.removeExpired(limit: 10, at: now + 300) == 1)
        #expect(try await stores.users.delete(user.user.id, at: now))
        #expect(try await stores.passkeys.passkey(Array("one".utf8), at: "example.com") == nil)
    }

    @Test func `104: older metadata than the newest that was taken is known as such`() async throws {
        #expect(try await stores.passkeys.metadataNumber(of: "fido") == nil)
        try await stores.passkeys.raiseMetadataNumber(to: 7, of: "fido")
        try await stores.passkeys.raiseMetadataNumber(to: 5, of: "fido")
        try await stores.passkeys.raiseMetadataNumber(to: 3, of: "own")
        #expect(try await stores.passkeys.metadataNumber(of: "fido") == 7)
        #expect(try await stores.passkeys.metadataNumber(of: "own") == 3)
    }
}
