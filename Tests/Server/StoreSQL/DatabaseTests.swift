import Foundation
import GRDB
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@testable import StoreSQL

@Suite("The database file")
struct DatabaseTests {
    let folder: URL
    let now = UnixTime(rawValue: 1_000_000)

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("keyturn-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private var path: String { folder.appendingPathComponent("test.db").path }

    private func account(_ name: String) throws -> Account {
        let user = User(id: .make(.live), claims: ["name": .string(name)], createdAt: now, updatedAt: now)
        let identifier = try #require(Identifier(loginID: name))
        return Account(user: user, identifiers: [identifier: .verified], passwordHash: "$argon2id$x")
    }

    private func grant(of account: Account, code: String) -> (Grant, CodeConditions) {
        let grant = Grant(
            id: .make(.live), clientID: "web", userID: account.user.id, sessionID: nil,
            scope: Scope(names: ["openid", "offline_access"]), resources: [], authentication: .password(at: now),
            nonce: nil, claimsRequest: nil, createdAt: now, idleExpiresAt: now + 60, absoluteExpiresAt: now + 1_000)
        let conditions = CodeConditions(
            digest: SecretDigest(of: Secret(code)), redirectURI: "https://app/", codeChallenge: nil, expiresAt: now + 60
        )
        return (grant, conditions)
    }

    @Test func `what is acknowledged is durable: WAL, synchronous=FULL, foreign keys, also after reopening`() throws {
        for _ in 0..<2 {
            let database = try SQLiteDatabase(path: path)
            #expect(
                try database.settings()
                    == SQLiteDatabase.Settings(journalMode: "wal", synchronous: 2, foreignKeys: true))
            database.close()
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func `what was written is there when it is opened again`() async throws {
        let first = try SQLiteDatabase(path: path)
        let andy = try account("andy@example.com")
        try await first.stores().users.create(andy)
        first.close()
        let second = try SQLiteDatabase(path: path)
        #expect(try await second.stores().users.account(andy.user.id) == andy)
        second.close()
    }

    @Test func `attack 29: a copy of the files holds nothing that could be presented`() async throws {
        let database = try SQLiteDatabase(path: path)
        let stores = database.stores()
        let andy = try account("andy@example.com")
        try await stores.users.create(andy)
        let secrets = ["the-code-of-the-test", "the-cookie-of-the-test"]
        let (grant, conditions) = grant(of: andy, code: secrets[0])
        #expect(try await stores.grants.add(grant, code: conditions))
        let session = BrowserSession(
            id: SessionID(rawValue: "public"), userID: andy.user.id, authentication: .password(at: now), createdAt: now,
            expiresAt: now + 100)
        #expect(
            try await stores.sessions.create(
                session, epoch: 0, digest: SecretDigest(of: Secret(secrets[1])), replacing: nil, at: now))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
            for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil) }
        }
        database.close()
    }

    @Test func `a job that fails is undone alone`() async throws {
        let database = try SQLiteDatabase(path: path)
        let stores = database.stores()
        let accounts = try (0..<20).map { try account("user\($0)@example.com") }
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for account in accounts + accounts {
                group.addTask { (try? await stores.users.create(account)) != nil }
            }
            var outcomes: [Bool] = []
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes.count { $0 } == 20 && outcomes.count { !$0 } == 20)
        #expect(try await stores.users.accounts(after: nil, limit: 100).count == 20)
        database.close()
    }

    @Test func `what is written while the database is closed is committed or refused, and nothing between`()
        async throws
    {
        let database = try SQLiteDatabase(path: path)
        let stores = database.stores()
        let accounts = try (0..<200).map { try account("user\($0)@example.com") }
        let created = await withTaskGroup(of: StoreError.Code?.self) { group in
            for (number, account) in accounts.enumerated() {
                group.addTask {
                    do {
                        try await stores.users.create(account)
                        return nil
                    } catch {
                        return (error as? StoreError)?.code
                    }
                }
                if number == 100 {
                    group.addTask {
                        database.close(); return .conflict
                    }
                }
            }
            return await group.reduce(into: 0) { count, code in
                if code == nil { count += 1 } else { #expect(code == .unavailable || code == .conflict) }
            }
        }
        #expect(created >= 1)
        await #expect(throws: StoreError.self) { try await stores.users.create(try account("late@example.com")) }
        await #expect(throws: StoreError.self) { try await stores.users.account(accounts[0].user.id) }
        let again = try SQLiteDatabase(path: path)
        #expect(try await again.stores().users.accounts(after: nil, limit: 1_000).count == created)
        again.close()
    }

    @Test func `a foreign key that is missing is a conflict, also where a row is returned`() throws {
        let database = try SQLiteDatabase(path: nil)
        try database.inspect { db in
            try db.run("CREATE TABLE parent (id INTEGER PRIMARY KEY)", [])
            try db.run("CREATE TABLE child (parent INTEGER REFERENCES parent (id))", [])
            for sql in ["BEGIN", "SELECT 1"] {
                _ = try db.first(sql, [])
                let refusal = #expect(throws: StoreError.self) {
                    try db.first("INSERT INTO child VALUES (?1) RETURNING parent", [7])
                }
                #expect(refusal?.code == .conflict)
            }
            #expect(try db.first("SELECT count(*) FROM child", [])?[0] == Int64(0))
            try db.run("ROLLBACK", [])
        }
        database.close()
    }

    @Test func `the log is moved into the file while the server runs`() async throws {
        let database = try SQLiteDatabase(path: path)
        let stores = database.stores()
        func bytes(_ suffix: String) throws -> Int {
            try FileManager.default.attributesOfItem(atPath: path + suffix)[.size] as? Int ?? 0
        }
        let before = try bytes("")
        for round in 0..<40 where try bytes("") == before {
            for number in 0..<100 { try await stores.users.create(try account("user\(round)-\(number)@example.com")) }
            try await Task.sleep(for: .milliseconds(60))
        }
        #expect(try bytes("") > before)
        #expect(try bytes("-wal") < 64 << 20)
        database.close()
        #expect(throws: (any Error).self, "closing it moves all of the log") { try bytes("-wal") }
    }

    @Test func `a full disk is said, and what was there stays`() async throws {
        let database = try SQLiteDatabase(path: path)
        let stores = database.stores()
        let first = try account("first@example.com")
        try await stores.users.create(first)
        try database.inspect { db in
            let pages: Int = try db.first("PRAGMA page_count", [])?[0] ?? 0
            try db.run("PRAGMA max_page_count = \(pages)", [])
        }
        var refusal: StoreError.Code?
        for number in 0..<200 where refusal == nil {
            do {
                try await stores.users.create(try account("user\(number)-\(String(repeating: "x", count: 150))@e.com"))
            } catch let error as StoreError {
                refusal = error.code
            }
        }
        #expect(refusal == .full)
        #expect(try await stores.users.account(first.user.id) == first)
        database.close()
    }

    @Test func `what cannot be opened says what to do`() throws {
        #expect(throws: OpenProblem.noFolder(path: "/nowhere/at/all.db")) {
            try SQLiteDatabase(path: "/nowhere/at/all.db")
        }
        let text = folder.appendingPathComponent("text.db").path
        try Data(String(repeating: "This is no database. ", count: 100).utf8).write(to: URL(fileURLWithPath: text))
        #expect(throws: OpenProblem.notADatabase(path: text)) { try SQLiteDatabase(path: text) }
        let newer = try SQLiteDatabase(path: path)
        _ = try newer.inspect { try $0.run("PRAGMA user_version = 999", []) }
        newer.close()
        #expect(throws: OpenProblem.newer(version: 999)) { try SQLiteDatabase(path: path) }
    }

    @Test func `what servers keep in memory has a revision, which nothing else touches`() async throws {
        let ours = try SQLiteDatabase(path: path)
        let theirs = try SQLiteDatabase(path: path)
        let now = UnixTime(rawValue: 1_000_000)
        let before = try await ours.stores().maintenance.revision()
        try await ours.stores().users.create(try account("own@example.com"))
        try await theirs.stores().users.create(try account("other@example.com"))
        #expect(try await ours.stores().maintenance.revision() == before, "a user is in nobody's memory")
        let client = Client(id: "c", metadata: ClientMetadata(), secretDigests: [])
        try await theirs.stores().clients.put(client, at: now)
        let added = try await ours.stores().maintenance.revision()
        #expect(added > before)
        _ = try await theirs.stores().clients.remove("c", at: now)
        let removed = try await ours.stores().maintenance.revision()
        #expect(removed > added)
        try await theirs.stores().tenants.create(Tenant(id: "t", name: "T", createdAt: now))
        try await theirs.stores().roles.create(Permission(name: "p"))
        #expect(try await ours.stores().maintenance.revision() == removed + 2)
        #expect(try await ours.stores().users.accounts(after: nil, limit: 10).count == 2)
        ours.close()
        theirs.close()
    }

}
