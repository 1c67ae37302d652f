import KeyturnBase
import KeyturnJose
import Model
import Synchronization
import Testing

@testable import Identity
@testable import StoreSQL

/// A database that goes away and whose machine has a clock of its own.
private final class DistantDatabase: MaintenanceStore {
    struct State: Sendable {
        var isAway = false
        var clock: Int64?
        var pings = 0
    }

    let state = Mutex(State())

    func queueLengths(upTo max: Int) async throws(StoreError) -> QueueLengths { throw StoreError(.unavailable) }
    func ping() async throws(StoreError) {
        let isAway = state.withLock { state in
            state.pings += 1
            return state.isAway
        }
        if isAway { throw StoreError(.unavailable) }
    }

    func clock() async throws(StoreError) -> UnixTime? {
        state.withLock { $0.clock.map(UnixTime.init(rawValue:)) }
    }

    func removeExpired(limit: Int, at now: UnixTime) async throws(StoreError) -> Int { 0 }
    func removeEndedGrants(rows: Int, at now: UnixTime) async throws(StoreError) -> Int? { nil }
    func revision() async throws(StoreError) -> Int64 { 0 }
}

/// A clock that is set, and one that is not.
private final class Clock: Sendable {
    let times = Mutex<(wall: Int64, uptime: Int64)>((1_000_000, 500))

    var now: UnixTime { UnixTime(rawValue: times.withLock { $0.wall }) }
    var uptime: Int64 { times.withLock { $0.uptime } }
}

@Suite("Readiness: databases that go away, and clocks that are wrong")
struct ReadinessTests {
    private let database = DistantDatabase()
    private let clock = Clock()

    private var ambient: Ambient {
        Ambient(clock: { [clock] in clock.now }, uptime: { [clock] in clock.uptime }, entropy: Ambient.live.randomBytes)
    }

    private func pass(_ seconds: Int64) {
        clock.times.withLock { $0 = ($0.wall + seconds, $0.uptime + seconds) }
    }

    private func readiness(isShared: Bool = true, hasKey: Bool = true) async throws -> Readiness {
        let secrets = try #require(ServerSecrets([[UInt8](repeating: 1, count: 32)]))
        let keys = KeyRing(
            store: try SQLiteDatabase(path: nil).stores().keys, secrets: secrets, tokenSecondsMax: 60, ambient: ambient)
        if hasKey { _ = try await keys.maintain([.es256]) }
        return Readiness(database, isShared: isShared, keys: keys, ambient: ambient)
    }

    @Test func `a shared database may be away for a minute, and is not asked meanwhile`() async throws {
        let readiness = try await readiness()
        database.state.withLock { $0.isAway = true }
        pass(59)
        #expect(await readiness.state() == .ready)
        #expect(database.state.withLock { $0.pings } == 0)
        pass(1)
        #expect(await readiness.state() == .noDatabase)
        database.state.withLock { $0.isAway = false }
        #expect(await readiness.state() == .ready)
        pass(59)
        #expect(await readiness.state() == .ready)
        #expect(database.state.withLock { $0.pings } == 2)
    }

    @Test func `a database of this server alone is asked each time, and a server without a key is not ready`()
        async throws
    {
        let readiness = try await readiness(isShared: false)
        #expect(await readiness.state() == .ready)
        database.state.withLock { $0.isAway = true }
        #expect(await readiness.state() == .noDatabase)
        database.state.withLock { $0.isAway = false }
        #expect(await (try self.readiness(hasKey: false)).state() == .noSigningKey)
        readiness.stop()
        #expect(await readiness.state() == .stopping)
        #expect(readiness.isStopping)
    }

    @Test(arguments: [31, -31] as [Int64])
    func `a server that starts with a wrong clock is not ready until it is set`(_ difference: Int64) async throws {
        let readiness = try await readiness()
        database.state.withLock { $0.clock = 1_000_000 - difference }
        #expect(try await readiness.compareClocks() == difference)
        #expect(await readiness.state() == .wrongClock(difference) && readiness.hasWrongClock)
        // Set by the operator.
        clock.times.withLock { $0.wall -= difference }
        #expect(try await readiness.compareClocks() == 0)
        #expect(await readiness.state() == .ready && !readiness.hasWrongClock)
    }

    @Test func `a clock that is set wrong later is found, and one that was off by less is only told`() async throws {
        let readiness = try await readiness()
        database.state.withLock { $0.clock = 1_000_000 - 30 }
        #expect(try await readiness.compareClocks() == 30)
        #expect(await readiness.state() == .ready)
        clock.times.withLock { $0.wall += 60 }
        #expect(try await readiness.compareClocks() == 90)
        #expect(await readiness.state() == .wrongClock(90))
        #expect(readiness.clockDifference == 90)
    }

    @Test func `if the database's clock was set, all servers go on`() async throws {
        let readiness = try await readiness()
        database.state.withLock { $0.clock = 1_000_000 }
        #expect(try await readiness.compareClocks() == 0)
        pass(60)
        database.state.withLock { $0.clock = 2_000_000 }
        #expect(try await readiness.compareClocks() == -999_940)
        #expect(await readiness.state() == .ready)
    }
}
