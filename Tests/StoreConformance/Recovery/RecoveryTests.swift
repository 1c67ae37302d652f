import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: removals of lost second factors")
struct RecoveryTests {
    private static let delay: Int64 = 3_600

    /// A user with a password and an authenticator app.
    private struct Owner: Sendable {
        let bench: Bench
        let user: Account

        init(_ engine: any Engine) async throws {
            bench = try await Bench(engine)
            user = try await bench.userWithAuthenticator()
        }

        var stores: Stores { bench.stores }
        var now: UnixTime { bench.now }
        var epoch: Int64 { get async throws { try await bench.epoch(of: user) } }

        func begin(
            _ link: String = "link", epoch: Int64? = nil, max: Int64 = 3, at time: UnixTime? = nil,
            on stores: Stores? = nil
        ) async throws -> RecoveryBeginning {
            let (time, current) = (time ?? now, try await self.epoch)
            return try await (stores ?? bench.stores).recoveries.begin(
                Recovery(
                    userID: user.user.id, begunAt: time, readyAt: time + RecoveryTests.delay,
                    expiresAt: time + 2 * RecoveryTests.delay),
                epoch: epoch ?? current, cancelledBy: bench.digest(link),
                charge: RateLimitCharge("recovery", max: max, windowSeconds: 86_400),
                notices: [bench.message("begun \(link)")],
                event: AuditEvent(.recoveryBegun, at: time, userID: user.user.id), at: time)
        }

        func finish(at time: UnixTime, epoch: Int64? = nil, on stores: Stores? = nil) async throws -> Bool {
            let current = try await self.epoch
            return try await (stores ?? bench.stores).recoveries.finish(
                user.user.id, epoch: epoch ?? current, notices: [bench.message("finished")],
                event: AuditEvent(.recoveryFinished, at: time, userID: user.user.id), at: time)
        }

        func messages() async throws -> Int { try await stores.messages.newest(limit: 100).count }

        func events(_ kind: AuditEvent.Kind) async throws -> Int {
            try await stores.audit.newest(limit: 100).count { $0.kind == kind }
        }
    }

    @Test(arguments: Engines.withValues)
    func `one can be finished from the second that it is ready, and not in that of its end`(_ engine: any Engine)
        async throws
    {
        let owner = try await Owner(engine)
        let now = owner.now
        #expect(try await owner.begin().isBegun)
        #expect(try await !owner.finish(at: now + Self.delay - 1))
        #expect(try await !owner.finish(at: now + 2 * Self.delay))
        #expect(try await !owner.finish(at: now + Self.delay, epoch: 7))
        #expect(try await owner.messages() == 1)
        #expect(try await owner.events(.recoveryFinished) == 0)
        #expect(try await owner.finish(at: now + Self.delay))
        let account = try #require(try await owner.stores.users.account(owner.user.user.id))
        #expect(!account.hasAuthenticator && account.user.epoch == 1)
        #expect(try await !owner.finish(at: now + Self.delay), "once")
        #expect(try await owner.messages() == 2)
        #expect(try await owner.events(.recoveryFinished) == 1)
        #expect(try await owner.events(.recoveryCancelled) == 0)
    }

    @Test(arguments: Engines.withValues)
    func `86: of a hundred that begin one does, and of a hundred that finish one does`(_ engine: any Engine)
        async throws
    {
        let owner = try await Owner(engine)
        let begun = try await owner.bench.race { stores, number in
            try await owner.begin("link \(number)", on: stores)
        }
        #expect(begun.count(where: \.isBegun) == 1)
        #expect(begun.count { if case .underWay = $0 { true } else { false } } == 99)
        #expect(try await owner.messages() == 1)
        #expect(try await owner.events(.recoveryBegun) == 1)
        let finished = try await owner.bench.race { stores, _ in
            try await owner.finish(at: owner.now + Self.delay, epoch: 0, on: stores)
        }
        #expect(finished.count { $0 } == 1)
        #expect(try await owner.messages() == 2)
        #expect(try await owner.events(.recoveryFinished) == 1)
    }

    @Test(arguments: Engines.withValues)
    func `the end of one removes every factor, ends every session and raises the epoch`(_ engine: any Engine)
        async throws
    {
        let owner = try await Owner(engine)
        let (bench, id, now) = (owner.bench, owner.user.user.id, owner.now + Self.delay)
        #expect(try await bench.addPasskey("one", to: owner.user) == .added)
        try await owner.stores.recoveryCodes.replace([bench.digest("code")], of: id, at: now)
        let grant = try await bench.openGrant(of: owner.user, at: now)
        try await bench.openSession(of: owner.user)
        #expect(try await owner.begin().isBegun)
        #expect(try await owner.stores.recoveries.recovery(of: id, at: now)?.isReady(at: now) == true)
        let epoch = try await owner.epoch
        #expect(try await owner.finish(at: now))
        #expect(try await owner.stores.recoveries.recovery(of: id, at: now) == nil)
        #expect(try await owner.epoch > epoch)
        #expect(try await owner.stores.passkeys.passkeys(of: id, at: nil).isEmpty)
        #expect(try await owner.stores.recoveryCodes.count(of: id) == 0)
        #expect(try await owner.stores.authenticators.authenticators(of: .user(id), at: now).isEmpty)
        #expect(try await !bench.isAlive(grant, at: now))
        #expect(try await !bench.isAlive(session: "session"))
        #expect(try await owner.stores.users.account(id)?.passwordHash == owner.user.passwordHash)
    }

    @Test(arguments: Engines.withValues)
    func `a factor that is used or changed ends it, since it is not lost`(_ engine: any Engine) async throws {
        for (name, use) in [
            (
                "code",
                { owner in
                    let id = owner.bench.authenticator("first").id
                    _ = try await owner.stores.authenticators.accept(step: 9, of: id, at: owner.now)
                }
            ),
            (
                "recovery code",
                { owner in
                    let (id, digest) = (owner.user.user.id, owner.bench.digest("code"))
                    try await owner.stores.recoveryCodes.replace([digest], of: id, at: owner.now)
                    _ = try await owner.stores.recoveryCodes.spend([digest], of: id, at: owner.now)
                }
            ),
            ("new passkey", { owner in try await owner.bench.addPasskey("one", to: owner.user) }),
            (
                "removed",
                { owner in
                    _ = try await owner.stores.authenticators.removeAll(of: owner.user.user.id, at: owner.now)
                }
            ),
        ] as [(String, (Owner) async throws -> Void)] {
            let owner = try await Owner(engine)
            #expect(try await owner.begin().isBegun)
            try await use(owner)
            #expect(try await owner.stores.recoveries.recovery(of: owner.user.user.id, at: owner.now) == nil, "\(name)")
            #expect(try await !owner.finish(at: owner.now + Self.delay), "\(name)")
            #expect(try await owner.events(.recoveryCancelled) == 1, "\(name)")
        }
    }

    @Test(arguments: Engines.withValues)
    func `so many begin in a week, and what is refused pays nothing`(_ engine: any Engine) async throws {
        let owner = try await Owner(engine)
        for number in 0..<3 {
            #expect(try await owner.begin("link \(number)").isBegun)
            _ = try await owner.begin("link \(number)")
            _ = try await owner.stores.passwords.set(
                PasswordChange(hash: "$argon2id$\(number)", origin: .strong, historyMax: 0),
                of: owner.user.user.id, at: owner.now)
        }
        #expect(try await owner.begin("link 4") == .tooMany(until: owner.now + 86_400))
        #expect(try await owner.messages() == 3)
        #expect(try await owner.events(.recoveryCancelled) == 3)
        #expect(try await owner.begin("link 4", at: owner.now + 86_400).isBegun)
    }

    @Test(arguments: Engines.withValues)
    func `what was proved in another epoch, or without a factor to remove, begins nothing`(_ engine: any Engine)
        async throws
    {
        let owner = try await Owner(engine)
        #expect(try await owner.begin(epoch: 1) == .overtaken)
        _ = try await owner.stores.authenticators.removeAll(of: owner.user.user.id, at: owner.now)
        #expect(try await owner.begin() == .overtaken)
        #expect(try await owner.messages() == 0)
        #expect(try await owner.events(.recoveryBegun) == 0)
    }

    @Test(arguments: Engines.withValues)
    func `a link cancels once of a hundred times, and is remembered for the pause`(_ engine: any Engine) async throws {
        let owner = try await Owner(engine)
        let (bench, recoveries, now) = (owner.bench, owner.stores.recoveries, owner.now)
        guard case .begun(let recovery) = try await owner.begin() else { throw StoreError(.missing) }
        #expect(try await recoveries.describe(bench.digest("other"), at: now) == nil)
        #expect(try await recoveries.describe(bench.digest("link"), at: now) == .live(recovery))
        #expect(try await !recoveries.cancel(bench.digest("other"), from: nil, at: now))
        let cancelled = try await bench.race { stores, _ in
            try await stores.recoveries.cancel(bench.digest("link"), from: "192.0.2.1", at: now + 60)
        }
        #expect(cancelled.count { $0 } == 1)
        #expect(try await recoveries.describe(bench.digest("link"), at: now + 60) == .cancelled)
        #expect(try await !owner.finish(at: now + Self.delay))
        let end = now + 60 + Limits.recoveryPauseSeconds
        #expect(try await owner.begin("next", at: end - 1) == .paused(until: end))
        let events = try await owner.stores.audit.newest(limit: 10).filter { $0.kind == .recoveryCancelled }
        #expect(events.count == 1 && events.first?.reason == "link" && events.first?.address == "192.0.2.1")
        #expect(try await owner.begin("next", at: end).isBegun)
        #expect(try await recoveries.describe(bench.digest("link"), at: end) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `a link and an end at once: one of them counts, many times`(_ engine: any Engine) async throws {
        for _ in 0..<10 {
            let owner = try await Owner(engine)
            let ready = owner.now + Self.delay
            #expect(try await owner.begin().isBegun)
            let (isCancelled, isFinished) = try await owner.bench.both(
                { try await $0.recoveries.cancel(owner.bench.digest("link"), from: nil, at: ready) },
                { try await owner.finish(at: ready, on: $0) })
            #expect(isCancelled != isFinished)
            #expect(try await owner.stores.users.account(owner.user.user.id)?.hasAuthenticator == isCancelled)
        }
    }

    @Test(arguments: Engines.withValues)
    func `addresses that were proved later than the account was made are known by their time`(_ engine: any Engine)
        async throws
    {
        let owner = try await Owner(engine)
        let (id, now) = (owner.user.user.id, owner.now)
        let new = try owner.bench.identifier("second@example.com")
        _ = try await owner.stores.users.change(id, at: now) { $0.identifiers[new] = .verified }
        #expect(try await owner.stores.recoveries.addresses(of: id, provedAfter: now - 1) == [new])
        #expect(try await owner.stores.recoveries.addresses(of: id, provedAfter: now) == [])
        for state in [Account.IdentifierState.unverified, .verified] {
            _ = try await owner.stores.users.change(id, at: now + 5) { $0.identifiers[new] = state }
        }
        let again = try await owner.stores.recoveries.addresses(of: id, provedAfter: now)
        #expect(again == [new], "proved again is proved anew")
    }
}

extension RecoveryBeginning {
    var isBegun: Bool { if case .begun = self { true } else { false } }
}
