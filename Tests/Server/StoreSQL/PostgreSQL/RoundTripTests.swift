import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Synchronization
import Testing

@testable import StoreSQL

@Suite("PostgreSQL: round trips and pages")
struct RoundTripTests {
    private final class Flights: Sendable {
        private let all = Mutex<[[String]]>([])

        func note(_ flight: [String]) { all.withLock { $0.append(flight) } }

        /// The flights since the last call.
        func take() -> Int {
            all.withLock { flights in
                defer { flights = [] }
                return flights.count
            }
        }
    }

    @Test func `a refresh and a look at a grant are one, a redemption two, a session two`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let flights = Flights()
        let database = try sandbox.database(onFlight: flights.note)
        let (stores, now) = (database.stores(), sandbox.now)
        let user = try await sandbox.user(stores)
        let grant = sandbox.grant(of: user)
        let conditions = CodeConditions(
            digest: SecretDigest(of: Secret("c")), redirectURI: nil, codeChallenge: nil, expiresAt: now + 60)
        _ = flights.take()
        _ = try await stores.grants.add(grant, code: conditions, ticket: nil)
        #expect(flights.take() == 2)
        let attempt = CodeAttempt(
            digest: conditions.digest, clientID: "web", redirectURI: nil, codeChallenge: nil)
        _ = try await stores.grants.redeem(attempt, idleSeconds: 500, at: now)
        #expect(flights.take() == 2)
        for counter in Int64(0)..<3 {
            let renewal = try await stores.grants.renew(
                grant.id, counter: counter, clientID: "web", keyThumbprint: nil, idleSeconds: 500, at: now)
            guard case .renewed = renewal else {
                Issue.record("\(renewal)")
                return
            }
            #expect(flights.take() == 1)
        }
        _ = try await stores.grants.live(grant.id, at: now)
        #expect(flights.take() == 1)
        let session = BrowserSession(
            id: SessionID(rawValue: "s"), userID: user, authentication: .password(at: now), createdAt: now,
            expiresAt: now + 100)
        _ = try await stores.sessions.create(
            session, epoch: 0, digest: SecretDigest(of: Secret("s")), replacing: nil, at: now)
        #expect(flights.take() == 2)
        database.close()
    }

    @Test func `what a sign-in writes is sent together`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let flights = Flights()
        let database = try sandbox.database(onFlight: flights.note)
        let (stores, now) = (database.stores(), sandbox.now)
        let user = try await sandbox.user(stores)
        _ = flights.take()
        _ = try await stores.attempts.count(["a", "b", "c"], windowSeconds: 60, at: now)
        #expect(flights.take() == 2)
        try await stores.attempts.succeed(["a"], shared: "b", known: "c", at: now)
        #expect(flights.take() == 1)
        _ = try await stores.grants.open(sandbox.grant(of: user), epoch: 0, endingOthers: false, at: now)
        #expect(flights.take() == 2)
        let signIn = PastSignIn(
            device: SecretDigest(of: Secret("d")), place: NetworkLocation(country: "DE"), at: now, isTrusted: false)
        try await stores.risks.remember(signIn, of: user)
        #expect(flights.take() == 1)
        try await stores.audit.append((0..<5).map { AuditEvent(.signedIn, at: now + $0, userID: user) })
        #expect(flights.take() == 2, "the chain's end is read first")
        #expect(try await stores.risks.past(of: user, at: now).count == 1)
        #expect(try await stores.audit.count(AuditQuery()) == 5)
        database.close()
    }

    /// An error of a statement whose answer is not waited for shows at the commit, and nothing of it stays.
    @Test func `what was sent fails with its transaction`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database()
        await #expect(throws: StoreError.self) {
            try await database.write(.guarded) { db in
                try db.send("INSERT INTO budget (key, spent, ends_at) VALUES (?, 1, 1)", ["one"])
                try db.send("INSERT INTO budget (key, spent, ends_at) VALUES (?, NULL, 1)", ["other"])
            }
        }
        #expect(try sandbox.spent("one") == nil)
        try await database.write(.guarded) { db in
            try db.send("INSERT INTO budget (key, spent, ends_at) VALUES (?, 1, 1)", ["one"])
        }
        #expect(try sandbox.spent("one") == 1)
        #expect(try sandbox.session().first("SELECT 1 AS x FROM commit_mark", []) != nil, "it has a mark")
        database.close()
    }

    /// A long transaction of another test keeps old versions of rows in place, so one round without one is enough.
    @Test func `refreshes change no index`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let (grants, user) = ((0..<200).map { _ in sandbox.grant(of: UserID(rawValue: "u")) }, "u")
        let first = try sandbox.database()
        _ = try await sandbox.user(first.stores(), user)
        for grant in grants {
            _ = try await first.stores().grants.open(grant, epoch: 0, endingOthers: false, at: sandbox.now)
        }
        first.close()
        var shares: [Double] = []
        for round in Int64(0)..<10 where (shares.max() ?? 0) < 1 {
            let before = try await updates(sandbox)
            let database = try sandbox.database()
            for grant in grants {
                _ = try await database.stores().grants.renew(
                    grant.id, counter: round, clientID: "web", keyThumbprint: nil, idleSeconds: 500,
                    at: sandbox.now + 100 * round)
            }
            // A server process tells what it counted when it ends.
            database.close()
            let after = try await updates(sandbox, atLeast: before.all + 200)
            shares.append(Double(after.inPlace - before.inPlace) / Double(after.all - before.all))
        }
        #expect(shares.max() == 1, "\(shares)")
    }

    private func updates(_ sandbox: PostgreSQLSandbox, atLeast count: Int64 = 0) async throws
        -> (all: Int64, inPlace: Int64)
    {
        let session = try sandbox.session()
        for _ in 0..<200 {
            let row = try session.search(
                "SELECT n_tup_upd AS u, n_tup_hot_upd AS h FROM pg_stat_user_tables WHERE relname = 'grant_'", []
            ).first
            if let all: Int64 = row?["u"], all >= count { return (all, row?["h"] ?? 0) }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw PostgreSQLProblem(.failed, "the server counted fewer updates than were made")
    }

    @Test func `writes that wait for a lock stop neither reads nor refreshes`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database(connectionsMax: 4)
        let stores = database.stores()
        let user = try await sandbox.user(stores)
        let grant = sandbox.grant(of: user)
        _ = try await stores.grants.open(grant, epoch: 0, endingOthers: false, at: sandbox.now)
        let other = try sandbox.connection()
        try other.begin(.locking([.user(user, shared: false)]))
        try other.fly()
        async let writes: Void = withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(StoreError) {
                        _ = try await stores.users.change(user, at: sandbox.now) { $0.user.status = .disabled }
                    } catch {
                        // It has waited long enough: what this test asks is what becomes of the others.
                        guard error.code == .unavailable else { throw error }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await Task.sleep(for: .milliseconds(200))
        for counter in Int64(0)..<3 {
            #expect(try await stores.users.account(user) != nil)
            let renewal = try await stores.grants.renew(
                grant.id, counter: counter, clientID: "web", keyThumbprint: nil, idleSeconds: 500, at: sandbox.now)
            guard case .renewed = renewal else {
                Issue.record("\(renewal)")
                return
            }
        }
        try other.rollBack()
        try await writes
        database.close()
    }
}
