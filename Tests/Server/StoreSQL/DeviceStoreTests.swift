import Foundation
import KeyturnBase
import KeyturnWire
import Model
import Testing

@testable import StoreSQL

@Suite("Devices in the database")
struct DeviceStoreTests {
    let stores: Stores
    let now = UnixTime(rawValue: 1_000_000)
    let user: Account
    let session: BrowserSession

    init() async throws {
        stores = try SQLiteDatabase(path: nil).stores()
        let identifier = try #require(Identifier(loginID: "andy@example.com"))
        user = Account(
            user: User(id: .make(.live), createdAt: now, updatedAt: now), identifiers: [identifier: .verified],
            passwordHash: nil)
        try await stores.users.create(user)
        session = BrowserSession(
            id: SessionID(rawValue: "session"), userID: user.user.id,
            authentication: AuthenticationFacts(time: now, methods: ["pwd"], contextClass: "urn:keyturn:acr:pwd"),
            createdAt: now, expiresAt: now + 10_000)
        _ = try await stores.sessions.create(
            session, epoch: user.user.epoch, digest: SecretDigest(of: Secret("cookie")), replacing: nil, at: now)
    }

    private func device(_ name: String = "one", key: String? = nil) -> DeviceAuthorization {
        DeviceAuthorization(
            id: SecretDigest(of: Secret(name)), clientID: "television", scope: Scope(names: ["openid"]),
            resources: ["https://api.example.com"], needsSeveralFactors: true, keyThumbprint: key,
            network: "192.0.2.1", createdAt: now, expiresAt: now + 900)
    }

    private func grant() -> Grant {
        Grant(
            id: .make(.live), clientID: "television", userID: user.user.id, sessionID: session.id,
            scope: Scope(names: ["openid"]), resources: [], authentication: session.authentication, nonce: nil,
            claimsRequest: nil, createdAt: now, idleExpiresAt: now + 900, absoluteExpiresAt: now + 100_000)
    }

    private func poll(_ device: DeviceAuthorization, _ at: Int64 = 0, key: String? = nil) async throws -> DeviceAnswer {
        try await stores.devices.poll(
            DevicePoll(id: device.id, clientID: "television", keyThumbprint: key, bindsGrant: true), idleSeconds: 1_000,
            at: now + at)
    }

    private func code(_ text: String) -> SecretDigest { SecretDigest(of: Secret("code \(text)")) }

    @Test func `what is stored comes back as it was, by either code`() async throws {
        let device = device(key: "key")
        #expect(try await stores.devices.add(device, userCode: code("a")))
        #expect(try await stores.devices.authorization(device.id) == device)
        #expect(try await stores.devices.authorization(userCode: [code("b"), code("a")]) == device)
        #expect(try await stores.devices.authorization(userCode: [code("b")]) == nil)
        #expect(try await !stores.devices.add(self.device("two"), userCode: code("a")))
        #expect(try await stores.devices.authorization(self.device("two").id) == nil)
    }

    @Test func `26: of a hundred polls one redeems, and ninety-nine repeat what it got`() async throws {
        let device = device()
        _ = try await stores.devices.add(device, userCode: code("a"))
        #expect(try await stores.devices.allow(device.id, grant(), at: now) == .made)
        let answers = try await withThrowingTaskGroup(of: DeviceAnswer.self) { group in
            for _ in 0..<100 { group.addTask { try await poll(device, 5) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let granted = answers.filter { if case .granted = $0 { true } else { false } }
        let repeated = answers.filter { if case .repeated = $0 { true } else { false } }
        #expect(granted.count == 1 && repeated.count == 99)
    }

    @Test func `of a hundred decisions at once one is made`() async throws {
        let device = device()
        _ = try await stores.devices.add(device, userCode: code("a"))
        let grants = (0..<100).map { _ in grant() }
        let decisions = try await withThrowingTaskGroup(of: DeviceDecision.self) { group in
            for (number, grant) in grants.enumerated() {
                group.addTask {
                    number % 2 == 0
                        ? try await stores.devices.allow(device.id, grant, at: now)
                        : try await stores.devices.deny(device.id, at: now)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(decisions.filter { $0 == .made }.count == 1)
        #expect(decisions.filter { $0 == .tooLate }.count == 99)
    }

    @Test func `nobody decides in a session that is over, and the device waits on`() async throws {
        let device = device()
        _ = try await stores.devices.add(device, userCode: code("a"))
        _ = try await stores.sessions.end(session.id, of: user.user.id, at: now)
        #expect(try await stores.devices.allow(device.id, grant(), at: now) == .signedOut)
        #expect(try await poll(device) == .pending)
        #expect(try await stores.devices.deny(device.id, at: now + 900) == .expired)
    }

    @Test func `who was let in at the last moment has a minute to ask`() async throws {
        for (seconds, isGranted) in [(Int64(958), true), (959, false)] {
            let device = device("\(seconds)")
            _ = try await stores.devices.add(device, userCode: code("\(seconds)"))
            #expect(try await stores.devices.allow(device.id, grant(), at: now + 899) == .made)
            let answer = try await poll(device, seconds)
            if case .granted = answer { #expect(isGranted) } else { #expect(!isGranted && answer == .expired) }
        }
    }

    @Test func `a poll of another client or key changes nothing`() async throws {
        let device = device(key: "key")
        _ = try await stores.devices.add(device, userCode: code("a"))
        #expect(try await poll(device, key: "key") == .pending)
        #expect(try await poll(device, 1) == .unknown)
        #expect(try await poll(device, 1, key: "other") == .unknown)
        #expect(try await poll(device, 5, key: "key") == .pending)
    }
}
