import KeyturnBase
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import Synchronization
import Testing

@testable import StoreSQL

/// Notes how each write wants to be kept apart from others.
private struct WatchedDatabase: ForwardingDatabase {
    final class Notes: Sendable {
        let all = Mutex<[String]>([])
    }

    let database: any SQLDatabase
    let notes = Notes()

    func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        notes.all.withLock { $0.append("once \(durability)") }
        return try await database.once(durability, body)
    }

    func once<Value: Sendable>(
        _ durability: Durability, _ body: @escaping @Sendable (SQLSession) throws -> Value?,
        otherwise rest: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        notes.all.withLock { $0.append("once \(durability)") }
        return try await database.once(durability, body, otherwise: rest)
    }

    func write<Value: Sendable>(
        _ isolation: Isolation, _ body: @escaping @Sendable (SQLSession) throws -> Value
    ) async throws(StoreError) -> Value {
        let words: [String] =
            switch isolation {
            case .serializable: ["serializable"]
            case .appending: []
            case .locking(let locks): locks.sorted().map(Self.word)
            }
        notes.all.withLock { $0.append(words.joined(separator: ", ")) }
        return try await database.write(isolation, body)
    }

    private static func word(_ lock: SQLLock) -> String {
        switch lock {
        case .name(let name): name
        case .user(let id, let shared): "\(shared ? "shared" : "own") \(id.rawValue)"
        case .owner(_, let shared): "\(shared ? "shared" : "own") owner"
        case .grant: "grant"
        case .rateLimit(let key): "budget \(key)"
        }
    }
}

@Suite("The locks of writes")
struct LockTests {
    private let database: WatchedDatabase
    private let stores: Stores
    private let now = UnixTime(rawValue: 1_000_000)
    private let user = UserID(rawValue: "u")

    init() async throws {
        database = WatchedDatabase(database: try SQLiteDatabase(path: nil))
        stores = database.stores()
        for name in ["u", "v"] {
            let person = User(id: UserID(rawValue: name), createdAt: now, updatedAt: now)
            try await stores.users.create(Account(user: person, identifiers: [:], passwordHash: nil))
        }
        database.notes.all.withLock { $0 = [] }
    }

    private func grant(_ session: SessionID? = nil) -> Grant {
        Grant(
            id: .make(.live), clientID: "web", userID: user, sessionID: session, scope: Scope(names: ["openid"]),
            resources: [], authentication: .password(at: now), nonce: nil, claimsRequest: nil, createdAt: now,
            idleExpiresAt: now + 60, absoluteExpiresAt: now + 1_000)
    }

    /// The locks of the writes since the last call.
    private func locks() -> [String] {
        database.notes.all.withLock { notes in
            defer { notes = [] }
            return notes
        }
    }

    @Test func `who signs in holds the user shared, who revokes alone`() async throws {
        let session = BrowserSession(
            id: SessionID(rawValue: "s"), userID: user, authentication: .password(at: now), createdAt: now,
            expiresAt: now + 100)
        _ = try await stores.sessions.create(
            session, epoch: 0, digest: SecretDigest(of: Secret("c")), replacing: nil, at: now)
        let conditions = CodeConditions(
            digest: SecretDigest(of: Secret("d")), redirectURI: nil, codeChallenge: nil, expiresAt: now + 60)
        _ = try await stores.grants.add(grant(session.id), code: conditions, ticket: nil)
        _ = try await stores.grants.open(grant(), epoch: 0, endingOthers: false, at: now)
        _ = try await stores.devices.allow(SecretDigest(of: Secret("e")), grant(session.id), at: now)
        #expect(locks() == Array(repeating: "shared u", count: 4))

        _ = try await stores.grants.open(grant(), epoch: 0, endingOthers: true, at: now)
        _ = try await stores.sessions.end(session.id, of: user, at: now)
        try await stores.sessions.endOthers(of: user, keeping: session.id, at: now)
        _ = try await stores.grants.endAll(of: user, reason: .logout, at: now)
        _ = try await stores.grants.endEverything(of: user, reason: .logout, at: now)
        _ = try await stores.users.delete(user, at: now)
        #expect(locks() == Array(repeating: "own u", count: 6))
    }

    @Test func `what is read, changed and written of a user is held alone`() async throws {
        _ = try await stores.users.change(user, at: now) { _ in }
        _ = try await stores.passwords.set(
            PasswordChange(hash: "h", origin: .strong, historyMax: 1), of: user, at: now)
        _ = try await stores.passwords.expire(user, at: now)
        _ = try await stores.passkeys.remove(PasskeyID(rawValue: "p"), of: user, leaving: nil, at: now)
        _ = try await stores.passkeys.change(
            PasskeyID(rawValue: "p"), of: user, name: nil, isActive: false, leaving: nil, at: now)
        _ = try await stores.authenticators.removeAll(of: user, at: now)
        try await stores.recoveryCodes.replace([], of: user, at: now)
        try await stores.consents.withdraw(from: user, to: "web", at: now)
        #expect(locks() == Array(repeating: "own u", count: 8))
        _ = try await stores.authenticators.accept(step: 1, of: [1], at: now)
        #expect(locks() == ["own owner"])
    }

    @Test func `of two users the first by identifier is held first`() async throws {
        let identifier = try #require(Identifier(loginID: "a@b.cd"))
        _ = try await stores.users.merge(
            asking: UserID(rawValue: "v"), existing: user, proved: identifier, keeping: .asking, at: now)
        #expect(locks() == ["own u, own v"])
        let mixed: [SQLLock] = [
            .rateLimit("b"), .grant(.make(.live)), .user(user, shared: true), .name("z"), .name("a"),
        ]
        #expect(mixed.sorted().prefix(3) == [.name("a"), .name("z"), .user(user, shared: true)])
        #expect(mixed.sorted().last == .rateLimit("b"))
    }

    @Test func `limits that count rows have a name`() async throws {
        let client = Client(
            id: "c", metadata: ClientMetadata(), secretDigests: [],
            registration: ClientRegistration(tokenDigest: SecretDigest(of: Secret("t")), registeredAt: now))
        _ = try await stores.clients.register(client, max: 1, at: now)
        let request = PushedRequest(
            digest: SecretDigest(of: Secret("r")), clientID: "c", parameters: "", expiresAt: now + 60)
        _ = try await stores.pushedRequests.add(request, max: 1, at: now)
        _ = try await stores.keys.add(
            StoredKey(
                keyID: "k", algorithm: "ES256", sealedPrivateKey: [1], createdAt: now, activatesAt: now,
                retiresAt: now + 60, removedAt: now + 60))
        #expect(locks() == ["clients", "par:c", "signing-keys"])
        try await stores.roles.create(Permission(name: "p"))
        #expect(locks() == ["serializable"])
    }

    @Test func `a refresh is one statement that this machine's disk keeps`() async throws {
        let renewal = try await stores.grants.renew(
            .make(.live), counter: 0, clientID: "web", keyThumbprint: nil, idleSeconds: 60, at: now)
        #expect(renewal == .unknown)
        #expect(locks() == ["once local"])
    }

    @Test func `a value that is not there has a type`() {
        let values: Values = [String?.none, Int64?.none, Bool?.some(true), 1]
        #expect(values.map { type(of: $0).type } == [.text, .integer, .integer, .integer])
        #expect(values.map(\.binding) == [.null, .null, .integer(1), .integer(1)])
    }
}
