internal import Foundation
internal import KeyturnBase

/// Opens connections, a few at a time: after a failover all of them are opened at once, on every node.
struct Connector: Sendable {
    let open: @Sendable () throws(PostgreSQLProblem) -> PostgreSQLConnection
    private let underWay = DispatchSemaphore(value: 2)

    init(open: @escaping @Sendable () throws(PostgreSQLProblem) -> PostgreSQLConnection) {
        self.open = open
    }

    func callAsFunction() throws(PostgreSQLProblem) -> PostgreSQLConnection {
        underWay.wait()
        defer { underWay.signal() }
        return try open()
    }
}

/// The connection of one thread of the pool, opened again when it was lost.
final class PooledConnection {
    private let connect: Connector
    private var connection: PostgreSQLConnection?
    private var openedAt = ContinuousClock.now
    private var usedAt = ContinuousClock.now
    private var lifetime = PooledConnection.lifetime()

    init(_ connect: Connector) {
        self.connect = connect
    }

    /// A connection that rested for longer is asked whether it still leads anywhere.
    private static let restMax = Duration.seconds(30)

    /// Connections are renewed after half an hour, not all at once, so that load spreads again after a failover.
    private static func lifetime() -> Duration { .seconds(chance(1_500...2_100)) }

    /// - Throws: if no connection can be opened until the deadline.
    func open(until deadline: ContinuousClock.Instant) throws(PostgreSQLProblem) -> PostgreSQLConnection {
        if let connection = present() { return connection }
        while true {
            do {
                let opened = try connect()
                (connection, openedAt, usedAt, lifetime) = (opened, .now, .now, Self.lifetime())
                return opened
            } catch {
                guard Self.pause(milliseconds: 20...80, before: deadline) else { throw error }
            }
        }
    }

    private func present() -> PostgreSQLConnection? {
        guard let connection, !connection.isLost, ContinuousClock.now - openedAt < lifetime else { return nil }
        if ContinuousClock.now - usedAt > Self.restMax {
            do {
                try connection.queue("SELECT 1", [], isKept: true)
                try connection.fly()
            } catch {
                return nil
            }
        }
        usedAt = .now
        return connection
    }

    /// Closes it; the next job opens another one.
    func drop() {
        connection = nil
    }

    /// Waits for some time of a range, unless it would wait beyond the deadline.
    static func pause(milliseconds: ClosedRange<Int>, before deadline: ContinuousClock.Instant) -> Bool {
        let pause = chance(milliseconds)
        guard ContinuousClock.now + .milliseconds(pause) < deadline else { return false }
        Thread.sleep(forTimeInterval: Double(pause) / 1_000)
        return true
    }

    private static func chance(_ range: ClosedRange<Int>) -> Int {
        let number = Ambient.live.randomBytes(2).reduce(0) { $0 << 8 | Int($1) }
        return range.lowerBound + number % range.count
    }
}
