import Foundation
import KeyturnBase
import Model
import Testing

@testable import StoreSQL

@Suite("Codes, links and authenticators in the database")
struct ProofStoreTests {
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

    private func facts(_ purpose: ProofFacts.Purpose = .signIn) throws -> ProofFacts {
        let loginID = try #require(Identifier(loginID: "andy@example.com"))
        return ProofFacts(purpose, userID: user.user.id, loginID: loginID, address: loginID, method: .email)
    }

    private func digest(_ text: String) -> SecretDigest { SecretDigest(of: Secret(text)) }

    private func add(_ code: String, at moment: UnixTime? = nil, _ purpose: ProofFacts.Purpose = .signIn) async throws {
        let moment = moment ?? now
        try await stores.codes.add(
            PendingCode(slot: "slot", digest: digest(code), facts: facts(purpose), expiresAt: moment + 600), liveMax: 3,
            at: moment)
    }

    private func redeem(_ code: String, party: String = "strangers", at moment: UnixTime? = nil) async throws
        -> CodeVerdict
    {
        try await stores.codes.redeem(
            CodeTry(
                slot: "slot", digests: [digest(code)], counts: [TryCount(slot: "slot", party: party, max: 5)]),
            windowSeconds: 600, at: moment ?? now)
    }

    private func race<Result: Sendable>(
        _ count: Int, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: Result.self) { group in
            for _ in 0..<count { group.addTask { try await body() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(arguments: [16, 100])
    func `86: of parallel submissions of one code one succeeds`(_ count: Int) async throws {
        try await add("123456")
        let attempt = CodeTry(
            slot: "slot", digests: [digest("123456")], counts: [TryCount(slot: "slot", party: "strangers", max: 1_000)])
        let verdicts = try await race(count) { [stores, now] in
            try await stores.codes.redeem(attempt, windowSeconds: 600, at: now)
        }
        #expect(verdicts.count { if case .right = $0 { true } else { false } } == 1)
        #expect(verdicts.count { $0 == .wrong } == count - 1)
    }

    @Test(arguments: [16, 100])
    func `86: of parallel uses of one link one succeeds`(_ count: Int) async throws {
        try await stores.links.add(
            [PendingLink(digest: digest("token"), facts: try facts())], reference: nil, expiresAt: now + 600, at: now)
        let link = digest("token")
        let verdicts = try await race(count) { [stores, now] in try await stores.links.redeem(link, at: now) }
        #expect(verdicts.count { if case .right = $0 { true } else { false } } == 1)
        #expect(verdicts.count { $0 == .unknown } == count - 1)
    }

    @Test(arguments: [16, 100])
    func `86: of parallel submissions of one recovery code one succeeds`(_ count: Int) async throws {
        let id = user.user.id
        let digest = digest("recovery")
        try await stores.recoveryCodes.replace([digest], of: id, at: now)
        let spent = try await race(count) { [stores, now] in
            try await stores.recoveryCodes.spend([digest], of: id, at: now)
        }
        #expect(spent.count { $0 } == 1)
        #expect(try await stores.recoveryCodes.count(of: id) == 0)
    }

    @Test func `86: of a hundred polls for one approved link one gets the session`() async throws {
        let reference = digest("reference")
        try await stores.links.add(
            [PendingLink(digest: digest("token"), facts: try facts())], reference: reference, expiresAt: now + 600,
            at: now)
        #expect(try await stores.links.collect(reference, at: now) == .waiting)
        #expect(try await stores.links.approve(reference, user: user.user.id, isFirst: false, at: now))
        let verdicts = try await race(100) { [stores, now] in try await stores.links.collect(reference, at: now) }
        #expect(verdicts.count { if case .approved = $0 { true } else { false } } == 1)
        #expect(verdicts.count { $0 == .unknown } == 99)
    }

    @Test func `87: of a hundred codes of one step one is accepted, and no earlier step afterwards`() async throws {
        let id = [UInt8](repeating: 7, count: 16)
        let stored = StoredAuthenticator(id: id, sealed: [1], isConfirmed: false, usedStep: -1)
        _ = try await stores.authenticators.add(
            stored, of: .user(user.user.id), replaces: false, pendingMax: 3, expiresAt: now + 600, at: now)
        let accepted = try await race(100) { [stores, now] in
            try await stores.authenticators.accept(step: 50, of: id, at: now)
        }
        #expect(accepted.count { $0 } == 1)
        #expect(try await !stores.authenticators.accept(step: 49, of: id, at: now))
        #expect(try await stores.authenticators.accept(step: 51, of: id, at: now + 100_000), "confirmed: no end")
    }

    @Test func `86: what was begun while another authenticator was confirmed does not take its place`() async throws {
        let authenticators = (0..<3).map {
            StoredAuthenticator(id: [UInt8]([$0]), sealed: [1], isConfirmed: false, usedStep: -1)
        }
        func add(_ number: Int, replaces: Bool) async throws -> Bool {
            try await stores.authenticators.add(
                authenticators[number], of: .user(user.user.id), replaces: replaces, pendingMax: 3,
                expiresAt: now + 600, at: now)
        }
        #expect(try await add(0, replaces: false))
        #expect(try await stores.authenticators.accept(step: 50, of: [0], at: now))
        #expect(try await !add(1, replaces: false))
        #expect(try await stores.authenticators.authenticators(of: .user(user.user.id), at: now).count == 1)
        #expect(try await add(2, replaces: true), "in a session that it was used in")
    }

    @Test func `85: five tries, counted across re-sends, and then not even the right code`() async throws {
        try await add("111111")
        for _ in 0..<3 { #expect(try await redeem("000000") == .wrong) }
        try await add("222222", at: now + 10)
        for _ in 0..<2 { #expect(try await redeem("000000", at: now + 11) == .wrong) }
        #expect(try await redeem("222222", at: now + 12) == .exhausted(retryAt: now + 600))
        try await add("333333", at: now + 20)
        #expect(try await redeem("333333", at: now + 599) == .exhausted(retryAt: now + 600))
        #expect(try await redeem("333333", at: now + 600) == .right(try facts()), "the window is over")
    }

    @Test func `81: strangers use their own tries up, never those of a known device`() async throws {
        try await add("111111")
        for _ in 0..<50 { _ = try await redeem("000000") }
        #expect(try await redeem("111111") == .exhausted(retryAt: now + 600))
        #expect(try await redeem("111111", party: "home") == .right(try facts()))
    }

    @Test(arguments: [(Int64(599), true), (600, false), (601, false)])
    func `a code and a link are over at the second`(_ second: Int64, _ isGood: Bool) async throws {
        try await add("111111")
        try await stores.links.add(
            [PendingLink(digest: digest("token"), facts: try facts())], reference: nil, expiresAt: now + 600, at: now)
        let right = try facts()
        #expect(try await redeem("111111", at: now + second) == (isGood ? .right(right) : .expired))
        let link = try await stores.links.redeem(digest("token"), at: now + second)
        #expect(link == (isGood ? .right(right, reference: nil) : .expired))
    }

    @Test func `a re-send leaves the earlier codes good, three at most, and one use ends all of its purpose`()
        async throws
    {
        for (index, code) in ["1", "2", "3", "4"].enumerated() { try await add(code, at: now + Int64(index)) }
        try await add("update", at: now + 1, .update)
        #expect(try await redeem("1", at: now + 5) == .wrong, "the oldest went")
        #expect(try await redeem("3", at: now + 5) == .right(try facts()))
        #expect(try await redeem("4", at: now + 5) == .wrong)
        #expect(try await redeem("update", at: now + 5) == .right(try facts(.update)))
    }

    @Test func `a wrong link of three cancels the others and whoever waits`() async throws {
        let reference = digest("reference")
        let links = try ["right", "wrong", "other"].map {
            PendingLink(digest: digest($0), facts: try facts(), isRight: $0 == "right")
        }
        try await stores.links.add(links, reference: reference, expiresAt: now + 600, at: now)
        #expect(try await stores.links.redeem(digest("wrong"), at: now) == .cancelled)
        #expect(try await stores.links.redeem(digest("right"), at: now) == .unknown)
        #expect(try await stores.links.collect(reference, at: now) == .unknown)
        #expect(try await !stores.links.approve(reference, user: user.user.id, isFirst: false, at: now))
    }

    @Test func `it is remembered how a link ended, and nothing of whom it was for`() async throws {
        let links = try ["right", "wrong", "other"].map {
            PendingLink(digest: digest($0), facts: try facts(), isRight: $0 == "right")
        }
        try await stores.links.add(links, reference: digest("reference"), expiresAt: now + 600, at: now)
        try await stores.links.add(
            [PendingLink(digest: digest("late"), facts: try facts())], reference: nil, expiresAt: now + 600, at: now)
        #expect(try await stores.links.end(of: digest("right"), at: now) == nil, "still good")
        guard case .right = try await stores.links.redeem(digest("right"), at: now) else {
            throw StoreError(.missing)
        }
        for name in ["right", "wrong", "other"] {
            #expect(try await stores.links.end(of: digest(name), at: now) == .spent)
            #expect(try await stores.links.describe(digest(name), at: now) == nil)
            #expect(try await stores.links.redeem(digest(name), at: now) == .unknown)
        }
        #expect(try await stores.links.end(of: digest("late"), at: now + 600) == .expired)
        #expect(try await stores.links.redeem(digest("late"), at: now + 600) == .expired)
        #expect(try await stores.links.end(of: digest("late"), at: now + 600) == .expired, "asking changes nothing")
        #expect(try await stores.links.end(of: digest("never"), at: now) == nil)
    }

    @Test func `90: of a hundred parallel spendings no more succeed than there is money`() async throws {
        let charge = BudgetCharge("purse", max: 10, windowSeconds: 60)
        let answers = try await race(100) { [stores, now] in try await stores.budgets.spend([charge], at: now) }
        #expect(answers.count { $0 == nil } == 10)
        #expect(answers.compactMap(\.self).allSatisfy { $0 == now + 60 })
        #expect(try await stores.budgets.spend([charge], at: now + 59) == now + 60)
        try await stores.budgets.refund(["purse"], at: now + 59)
        #expect(try await stores.budgets.spend([charge], at: now + 59) == nil, "one was given back")
        #expect(try await stores.budgets.spend([charge], at: now + 60) == nil, "a new window")
    }

    @Test func `89: a new password makes every link and code of its user worthless and keeps one session`() async throws
    {
        try await add("111111")
        try await stores.links.add(
            [PendingLink(digest: digest("token"), facts: try facts(.passwordReset))], reference: nil,
            expiresAt: now + 600, at: now)
        let change = PasswordChange(
            user.user.id, hash: "$argon2id$new", origin: .strong, replacing: "$argon2id$old", historyMax: 2)
        #expect(try await stores.passwords.set(change, at: now))
        #expect(try await !stores.passwords.set(change, at: now), "what it was to replace is gone")
        #expect(try await redeem("111111") == .wrong)
        #expect(try await stores.links.redeem(digest("token"), at: now) == .unknown)
        #expect(try await stores.passwords.state(of: user.user.id).history == ["$argon2id$old"])
    }

    @Test func `what is over is removed, and what is not stays`() async throws {
        try await add("111111")
        _ = try await redeem("000000")
        _ = try await stores.budgets.spend([BudgetCharge("purse", max: 1, windowSeconds: 60)], at: now)
        try await stores.links.add(
            [PendingLink(digest: digest("token"), facts: try facts())], reference: digest("reference"),
            expiresAt: now + 600, at: now)
        let stored = StoredAuthenticator(id: [1], sealed: [1], isConfirmed: false, usedStep: -1)
        _ = try await stores.authenticators.add(
            stored, of: .user(user.user.id), replaces: false, pendingMax: 3, expiresAt: now + 600, at: now)
        #expect(try await stores.maintenance.removeExpired(limit: 100, at: now + 59) == 0)
        #expect(try await stores.maintenance.removeExpired(limit: 100, at: now + 60) == 1, "the budget")
        #expect(try await stores.maintenance.removeExpired(limit: 100, at: now + 1_200) == 4)
        let forgotten = now + 600 + Limits.linkMemorySeconds
        #expect(try await stores.maintenance.removeExpired(limit: 100, at: forgotten - 1) == 0)
        #expect(try await stores.links.end(of: digest("token"), at: forgotten - 1) == .expired)
        #expect(try await stores.maintenance.removeExpired(limit: 100, at: forgotten) == 1, "the link")
        #expect(try await stores.links.end(of: digest("token"), at: forgotten) == nil)
    }
}
