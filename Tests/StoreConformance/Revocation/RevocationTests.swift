import KeyturnBase
import KeyturnWire
import Model
import SignIn
import ServerTesting
import Testing

/// What ends everything of a user ends what is on its way, too: the next database statement of a sign-in that began before
/// finds another epoch.
@Suite("Store: revocation and its epochs")
struct RevocationTests {
    /// Each way to end everything that a user is signed in with.
    enum Way: CaseIterable {
        case endEverything, newPassword, changedPassword, disabled, endOthers, signInEndingOthers, voided

        func end(_ account: Account, _ stores: Stores, at now: UnixTime) async throws {
            let id = account.user.id
            switch self {
            case .endEverything: _ = try await stores.grants.endEverything(of: id, reason: .logout, at: now)
            case .newPassword:
                _ = try await stores.passwords.set(
                    PasswordChange(hash: "$argon2id$new", origin: .strong, historyMax: 1), of: id, at: now)
            case .changedPassword: try await stores.passwords.set("$argon2id$new", of: id, at: now)
            case .disabled:
                _ = try await stores.users.change(id, at: now) { $0.user.status = .disabled }
                _ = try await stores.users.change(id, at: now) { $0.user.status = .active }
            case .endOthers:
                try await stores.sessions.endOthers(of: id, keeping: SessionID(rawValue: "none"), at: now)
            case .signInEndingOthers:
                let grant = Grant(
                    id: .make(.live), clientID: "phone", userID: id, sessionID: nil, scope: .none, resources: [],
                    authentication: .password(at: now), nonce: nil, claimsRequest: nil, createdAt: now,
                    idleExpiresAt: now + 60, absoluteExpiresAt: now + 60)
                let epoch = try await stores.users.account(id)?.user.epoch ?? -1
                _ = try await stores.grants.open(grant, epoch: epoch, endingOthers: true, at: now)
            case .voided: try await stores.passwords.void(id, keeping: nil, at: now)
            }
        }
    }

    @Test(arguments: Engines.withValues, Way.allCases)
    func `everything ends, and what was on its way opens nothing any more`(_ engine: any Engine, _ way: Way)
        async throws
    {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        let andy = try await bench.userWithAuthenticator()
        let bea = try await bench.user("bea@example.com")
        let before = try await bench.epoch(of: andy)
        try await bench.openSession(of: andy)
        try await bench.openSession(of: bea, "hers")
        let (grant, hers) = (try await bench.openGrant(of: andy), try await bench.openGrant(of: bea))
        try await addPending(andy, bench)

        try await way.end(andy, stores, at: now)

        #expect(try await bench.epoch(of: andy) > before)
        #expect(try await !bench.isAlive(session: "session"))
        #expect(try await !bench.isAlive(grant))
        #expect(try await bench.isAlive(session: "hers"))
        #expect(try await bench.isAlive(hers), "another user's")
        let tryCode = CodeTry(slot: "slot", digests: [bench.digest("123456")], counts: [])
        #expect(try await stores.codes.redeem(tryCode, windowSeconds: 600, at: now) == .wrong)
        #expect(try await stores.links.redeem(bench.digest("link"), at: now) == .unknown)
        #expect(try await stores.links.collect(bench.digest("reference"), at: now) == .unknown)
        let pending = bench.authenticator("pending").id
        #expect(try await !stores.authenticators.accept(step: 7, of: pending, at: now))
        #expect(try await stores.recoveries.recovery(of: andy.user.id, at: now) == nil)
        #expect(try await stores.biometrics.keys(of: andy.user.id).isEmpty)
        try await expectOvertaken(andy, epoch: before, bench)
    }

    /// What was sent before there was an account counts in the first epoch alone.
    @Test(arguments: Engines.withValues)
    func `every account begins in the first epoch`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        var account = try bench.account("andy@example.com", hash: "$argon2id$old")
        account.user.epoch = 7
        try await bench.stores.users.create(account, authenticator: nil)
        #expect(try await bench.epoch(of: account) == 0)
        #expect(try await bench.epoch(of: try await bench.userWithAuthenticator("bea@example.com")) == 0)
    }

    /// A code, a link, an authenticator without its first code, a recovery and a key behind a fingerprint.
    private func addPending(_ andy: Account, _ bench: Bench) async throws {
        let (stores, now) = (bench.stores, bench.now)
        let facts = try bench.facts(of: andy)
        try await stores.codes.add(
            PendingCode(slot: "slot", digest: bench.digest("123456"), facts: facts, expiresAt: now + 600), liveMax: 3,
            at: now)
        try await stores.links.add(
            [PendingLink(digest: bench.digest("link"), facts: facts)], reference: bench.digest("reference"),
            expiresAt: now + 600, at: now)
        let isAdded = try await stores.authenticators.add(
            bench.authenticator("pending"), of: .user(andy.user.id), replaces: true, pendingMax: 3,
            expiresAt: now + 600,
            at: now)
        #expect(isAdded)
        let begun = try await stores.recoveries.begin(
            Recovery(userID: andy.user.id, begunAt: now, readyAt: now + 10, expiresAt: now + 1_000),
            epoch: try await bench.epoch(of: andy), cancelledBy: bench.digest("cancel"), charge: bench.charge("r"),
            notices: [], event: AuditEvent(.recoveryBegun, at: now, userID: andy.user.id), at: now)
        guard case .begun = begun else {
            Issue.record("\(begun)")
            return
        }
        let session = try await bench.openGrant(of: andy)
        let added = try await stores.biometrics.add(
            bench.biometricKey("touch", of: andy), in: session.id, challenge: bench.mark("touch"),
            charge: bench.charge("touch"), keysMax: 5, at: now)
        #expect(added == .added(removed: []))
    }

    /// What was proved in an earlier epoch opens nothing, on each of the paths.
    private func expectOvertaken(_ andy: Account, epoch: Int64, _ bench: Bench) async throws {
        let (stores, now) = (bench.stores, bench.now)
        let isOpen = try await stores.sessions.create(
            bench.session(of: andy, "late"), epoch: epoch, digest: bench.digest("cookie late"), replacing: nil, at: now)
        #expect(!isOpen)
        #expect(try await !bench.isAlive(session: "late"))
        let late = bench.grant(of: andy)
        #expect(try await !stores.grants.open(late, epoch: epoch, endingOthers: false, at: now))
        #expect(try await !bench.isAlive(late))
        let passkey = try await stores.passkeys.add(
            bench.passkey("late"), to: andy.user.id, epoch: epoch, beside: true, max: 5, spending: bench.mark("late"),
            at: now)
        #expect(passkey == .overtaken)
        #expect(try await stores.passkeys.passkeys(of: andy.user.id, at: nil).isEmpty)
        let recovery = try await stores.recoveries.begin(
            Recovery(userID: andy.user.id, begunAt: now, readyAt: now + 10, expiresAt: now + 1_000), epoch: epoch,
            cancelledBy: bench.digest("late"), charge: bench.charge("r"), notices: [],
            event: AuditEvent(.recoveryBegun, at: now, userID: andy.user.id), at: now)
        #expect(recovery == .overtaken)
    }

    @Test(arguments: Engines.withValues)
    func `a hundred sign-ins and a revocation at once: no session outlives it`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let now = bench.now
        let signIns = try await bench.race { stores, number -> SignIn in
            if number == 50 {
                _ = try await stores.grants.endEverything(of: andy.user.id, reason: .logout, at: now)
                return SignIn(epoch: 0, hasSession: false, hasGrant: false)
            }
            // As a sign-in does: the epoch is read, the password is checked, and the session is written.
            let epoch = try await stores.users.account(andy.user.id)?.user.epoch ?? -1
            await Task.yield()
            let hasSession = try await stores.sessions.create(
                bench.session(of: andy, "\(number)"), epoch: epoch, digest: bench.digest("cookie \(number)"),
                replacing: nil, at: now)
            let hasGrant = try await stores.grants.open(
                bench.grant(of: andy), epoch: epoch, endingOthers: false, at: now)
            return SignIn(epoch: epoch, hasSession: hasSession, hasGrant: hasGrant)
        }
        // What is left was begun after the revocation.
        let sessions = try await bench.stores.sessions.sessions(of: andy.user.id, limit: 200, at: now)
        #expect(sessions.count == signIns.count { $0.hasSession && $0.epoch == 1 })
        let grants = try await bench.stores.grants.grants(of: andy.user.id, limit: 200, at: now)
        #expect(grants.count == signIns.count { $0.hasGrant && $0.epoch == 1 })
    }

    private struct SignIn: Sendable {
        let epoch: Int64
        let hasSession: Bool
        let hasGrant: Bool
    }

    @Test(arguments: Engines.withValues, Way.allCases)
    func `one sign-in and one revocation at once, many times: no session outlives it`(
        _ engine: any Engine, _ way: Way
    ) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let now = bench.now
        for round in 0..<8 {
            let epoch = try await bench.epoch(of: andy)
            let grant = bench.grant(of: andy)
            _ = try await bench.both(
                { stores in
                    _ = try await stores.sessions.create(
                        bench.session(of: andy, "\(round)"), epoch: epoch, digest: bench.digest("cookie \(round)"),
                        replacing: nil, at: now)
                    _ = try await stores.grants.open(grant, epoch: epoch, endingOthers: false, at: now)
                }, { try await way.end(andy, $0, at: now) })
            #expect(try await !bench.isAlive(session: "\(round)"), "round \(round)")
            #expect(try await !bench.isAlive(grant), "round \(round)")
        }
    }

    @Test(arguments: Engines.withValues)
    func `a user is deleted while a hundred sign-ins are under way: nothing is left`(_ engine: any Engine) async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let now = bench.now
        let grants = (0..<100).map { _ in bench.grant(of: andy) }
        _ = try await bench.race { stores, number in
            if number == 50 { return try await stores.users.delete(andy.user.id, at: now) }
            _ = try await stores.sessions.create(
                bench.session(of: andy, "\(number)"), epoch: 0, digest: bench.digest("cookie \(number)"),
                replacing: nil, at: now)
            return try await stores.grants.open(grants[number], epoch: 0, endingOthers: false, at: now)
        }
        for (number, grant) in grants.enumerated() {
            #expect(try await bench.renew(grant, counter: 0) == .unknown)
            #expect(try await !bench.isAlive(session: "\(number)"))
        }
    }

    @Test(arguments: Engines.withValues)
    func `a device's key signs in, or is added, while everything ends: nothing of it is left`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let (id, now) = (andy.user.id, bench.now)
        for round in 0..<10 {
            let session = try await bench.openGrant(of: andy)
            let added = try await bench.stores.biometrics.add(
                bench.biometricKey("old \(round)", of: andy), in: session.id, challenge: bench.mark("old \(round)"),
                charge: bench.charge("added"), keysMax: 5, at: now)
            #expect(added == .added(removed: []))
            let grant = bench.grant(of: andy)
            _ = try await bench.both(
                { stores in
                    _ = try await stores.biometrics.open(
                        grant, by: "old \(round)", challenge: bench.mark("open \(round)"),
                        charge: bench.charge("opened"), at: now)
                    _ = try await stores.biometrics.add(
                        bench.biometricKey("new \(round)", of: andy), in: session.id,
                        challenge: bench.mark("new \(round)"), charge: bench.charge("added"), keysMax: 5, at: now)
                }, { try await $0.grants.endEverything(of: id, reason: .logout, at: now) })
            #expect(try await !bench.isAlive(grant), "round \(round)")
            #expect(try await bench.stores.biometrics.keys(of: id).isEmpty, "round \(round)")
        }
    }

    @Test(arguments: Engines.withValues)
    func `a session ends while grants are made of it: none of them is alive`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let (now, session) = (bench.now, try await bench.openSession(of: andy))
        let parent = try await bench.redeemedGrant(of: andy, session: session.id)
        let (grants, codes) = (
            (0..<100).map { bench.grant(of: andy, client: "c\($0)", session: session.id) },
            (0..<100).map { bench.code("code \($0)") }
        )
        _ = try await bench.race { stores, number in
            switch number {
            case 50: _ = try await stores.sessions.end(session.id, of: andy.user.id, at: now)
            case _ where number % 2 == 0:
                _ = try await stores.grants.derive(grants[number], from: parent.id, at: now)
            default:
                guard try await stores.grants.add(grants[number], code: codes[number], ticket: nil) == .added else {
                    return
                }
                _ = try await stores.grants.redeem(
                    bench.attempt("code \(number)", client: "c\(number)"), idleSeconds: 500, at: now)
            }
        }
        #expect(try await !bench.isAlive(parent))
        #expect(try await bench.stores.grants.grants(of: andy.user.id, limit: 200, at: now).isEmpty)
    }
}
