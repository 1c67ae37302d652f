import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Store: passwords")
struct PasswordTests {
    private func set(
        _ hash: String, of account: Account, replacing old: String? = nil, origin: PasswordChange.Origin = .strong,
        historyMax: Int = 2, at second: Int64 = 0, _ bench: Bench
    ) async throws -> Bool {
        let change = PasswordChange(
            hash: hash, origin: origin, replacing: old, historyMax: historyMax)
        return try await bench.stores.passwords.set(change, of: account.user.id, at: bench.now + second)
    }

    @Test(arguments: Engines.withValues)
    func `89: a new password makes every link and code of its user worthless`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (stores, andy, now) = (bench.stores, try await bench.user(), bench.now)
        let facts = try bench.facts(of: andy, .passwordReset)
        let code = PendingCode(slot: "slot", digest: bench.digest("1"), facts: facts, expiresAt: now + 600)
        try await stores.codes.add(code, liveMax: 3, at: now)
        try await stores.links.add(
            [PendingLink(digest: bench.digest("link"), facts: facts)], reference: nil, expiresAt: now + 600, at: now)
        #expect(try await set("$new", of: andy, replacing: "$argon2id$old", bench))
        #expect(try await !set("$newer", of: andy, replacing: "$argon2id$old", bench), "what it was to replace is gone")
        let attempt = CodeTry(slot: "slot", digests: [bench.digest("1")], counts: [])
        #expect(try await stores.codes.redeem(attempt, windowSeconds: 600, at: now) == .wrong)
        #expect(try await stores.links.redeem(bench.digest("link"), at: now) == .unknown)
        #expect(try await stores.passwords.state(of: andy.user.id).history == ["$argon2id$old"])
        #expect(try await stores.users.account(andy.user.id)?.passwordHash == "$new")
    }

    @Test(arguments: Engines.withValues)
    func `a reset takes along what was agreed to since the password was set`(_ engine: any Engine) async throws {
        for (origin, isKept) in [(PasswordChange.Origin.address, false), (.strong, false), (.formerPassword, true)] {
            let bench = try await Bench(engine)
            let (andy, consents) = (try await bench.user(), bench.stores.consents)
            func agree(to client: String, at second: Int64) async throws {
                try await consents.remember(
                    Consent(scope: Scope(names: ["email"]), claims: ["name"], resources: ["https://api/"]),
                    redirectURI: "https://\(client)/", of: andy.user.id, to: client, at: bench.now + second)
            }
            try await agree(to: "before", at: 0)
            #expect(try await set("$1", of: andy, origin: .formerPassword, at: 10, bench))
            try await agree(to: "since", at: 20)
            #expect(try await set("$2", of: andy, origin: origin, at: 30, bench))
            #expect(try await consents.consent(of: andy.user.id, to: "before") != .none)
            #expect(try await (consents.consent(of: andy.user.id, to: "since") != .none) == isKept, "\(origin)")
            let isKnown = try await consents.includes(redirectURI: "https://since/", of: andy.user.id, to: "since")
            #expect(isKnown == isKept)
        }
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred changes of one password one counts`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let changed = try await bench.race { [now = bench.now] stores, number in
            let change = PasswordChange(
                hash: "$\(number)", origin: .strong, replacing: "$argon2id$old", historyMax: 9)
            return try await stores.passwords.set(change, of: andy.user.id, at: now)
        }
        #expect(changed.count { $0 } == 1)
        #expect(try await bench.stores.passwords.state(of: andy.user.id).history == ["$argon2id$old"])
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred passwords set at once each one but the last is remembered`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let set = try await bench.race { [now = bench.now] stores, number in
            let change = PasswordChange(hash: "$\(number)", origin: .strong, historyMax: 200)
            return try await stores.passwords.set(change, of: andy.user.id, at: now)
        }
        #expect(set.count { $0 } == 100)
        let current = try #require(try await bench.stores.users.account(andy.user.id)?.passwordHash)
        let history = try await bench.stores.passwords.state(of: andy.user.id).history
        #expect(Set(history + [current]) == Set((0..<100).map { "$\($0)" } + ["$argon2id$old"]))
        #expect(history.count == 100)
    }

    @Test(arguments: Engines.withValues)
    func `earlier passwords are remembered, the newest first, so many`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (passwords, andy) = (bench.stores.passwords, try await bench.user())
        #expect(try await passwords.state(of: andy.user.id) == PasswordState())
        for (second, hash) in ["$1", "$2", "$3"].enumerated() {
            #expect(try await set(hash, of: andy, at: Int64(second), bench))
        }
        let state = try await passwords.state(of: andy.user.id)
        #expect(state == PasswordState(setAt: bench.now + 2, mustReplace: false, history: ["$2", "$1"]))
        let stranger = try bench.account("stranger")
        #expect(try await bench.refusal { _ = try await set("$x", of: stranger, bench) } == .missing)
        #expect(try await passwords.state(of: stranger.user.id) == PasswordState())
    }

    @Test(arguments: Engines.withValues)
    func `a password keeps its origin until a second factor stands for another one`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        func resetAt(_ origin: PasswordChange.Origin, _ second: Int64) async throws -> UnixTime? {
            #expect(try await set("$\(second)", of: andy, origin: origin, historyMax: 0, at: second, bench))
            return try await bench.stores.passwords.state(of: andy.user.id).resetAt
        }
        #expect(try await resetAt(.formerPassword, 0) == nil)
        #expect(try await resetAt(.address, 1) == bench.now + 1)
        #expect(try await resetAt(.formerPassword, 2) == bench.now + 1)
        #expect(try await resetAt(.strong, 3) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `the sessions that are to go on go on, and all others end`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        for name in ["kept", "other"] { try await bench.openSession(of: andy, name) }
        let (kept, other) = (SessionID(rawValue: "kept"), SessionID(rawValue: "other"))
        let grant = try await bench.openGrant(of: andy)
        let app = try await bench.openGrant(of: andy, client: "app", session: kept)
        let ended = [
            try await bench.openGrant(of: andy, client: "web"), try await bench.openGrant(of: andy, session: kept),
            try await bench.openGrant(of: andy, client: "app", session: other),
            try await bench.openGrant(of: andy, client: "app", session: kept, at: bench.now - 1),
        ]
        let change = PasswordChange(
            hash: "$new", origin: .formerPassword, historyMax: 0, keeping: grant.id, keepingSession: kept,
            keepingApp: SignedInSession(clientID: "app", sessionID: kept, since: bench.now))
        #expect(try await bench.stores.passwords.set(change, of: andy.user.id, at: bench.now))
        #expect(try await bench.isAlive(grant))
        #expect(try await bench.isAlive(app))
        #expect(try await bench.isAlive(session: "kept"))
        #expect(try await !bench.isAlive(session: "other"))
        for grant in ended { #expect(try await !bench.isAlive(grant)) }
    }

    @Test(arguments: Engines.withValues)
    func `a change that ends no session still overtakes what is on its way`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = try await bench.openGrant(of: andy)
        try await bench.openSession(of: andy)
        let change = PasswordChange(
            hash: "$new", origin: .formerPassword, historyMax: 0, endsSessions: false)
        #expect(try await bench.stores.passwords.set(change, of: andy.user.id, at: bench.now))
        #expect(try await bench.isAlive(grant))
        #expect(try await bench.isAlive(session: "session"))
        let late = bench.grant(of: andy)
        #expect(try await !bench.stores.grants.open(late, epoch: 0, endingOthers: false, at: bench.now))
    }

    @Test(arguments: Engines.withValues)
    func `a password that is over must be replaced, and ends nothing by itself`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (passwords, andy) = (bench.stores.passwords, try await bench.user())
        let grant = try await bench.openGrant(of: andy)
        #expect(try await passwords.expire(andy.user.id, at: bench.now))
        #expect(try await passwords.state(of: andy.user.id).mustReplace)
        #expect(try await bench.isAlive(grant))
        #expect(try await set("$new", of: andy, bench))
        #expect(try await !passwords.state(of: andy.user.id).mustReplace)
        let without = try bench.account("bea")
        try await bench.stores.users.create(without, authenticator: nil)
        #expect(try await !passwords.expire(without.user.id, at: bench.now))
    }

    @Test(arguments: Engines.withValues)
    func `what the owner of an unverified address may have set goes, and the link that is under way stays`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        let andy = try await bench.userWithAuthenticator()
        try await bench.addPasskey("one", to: andy)
        try await stores.recoveryCodes.replace([bench.digest("code")], of: andy.user.id, at: now)
        #expect(try await set("$new", of: andy, bench))
        let facts = try bench.facts(of: andy)
        for name in ["kept", "gone"] {
            try await stores.links.add(
                [PendingLink(digest: bench.digest("link \(name)"), facts: facts)], reference: bench.digest(name),
                expiresAt: now + 600, at: now)
        }
        try await stores.consents.remember(
            Consent(scope: Scope(names: ["openid"]), claims: ["name"], resources: ["https://api/"]),
            redirectURI: "https://web/", of: andy.user.id, to: "web", at: now)
        _ = try await stores.users.change(andy.user.id, at: now) {
            $0.user.acceptances = ["terms": Acceptance(version: "1", at: now)]
        }
        let signIn = PastSignIn(
            device: bench.digest("device"), place: NetworkLocation(country: nil, coordinates: nil), at: now,
            isTrusted: true)
        try await stores.risks.remember(signIn, of: andy.user.id)
        try await stores.passwords.void(andy.user.id, keeping: bench.digest("kept"), at: now)
        #expect(try await stores.risks.past(of: andy.user.id, at: now).isEmpty)
        #expect(try await stores.users.account(andy.user.id)?.user.acceptances.isEmpty == true)
        #expect(try await stores.consents.clients(of: andy.user.id).isEmpty)
        #expect(try await !stores.consents.includes(redirectURI: "https://web/", of: andy.user.id, to: "web"))
        let account = try #require(try await stores.users.account(andy.user.id))
        #expect(account.passwordHash == nil && !account.hasAuthenticator && !account.hasPasskey)
        #expect(try await stores.recoveryCodes.count(of: andy.user.id) == 0)
        #expect(try await stores.passwords.state(of: andy.user.id) == PasswordState())
        #expect(try await stores.links.isWaiting(bench.digest("kept"), at: now))
        #expect(try await !stores.links.isWaiting(bench.digest("gone"), at: now))
    }
}
