internal import KeyturnBase
internal import Model
internal import Synchronization

/// Leaves directories alone that do not answer, so that sign-ins do not wait for them one after the other.
final class CircuitBreaker: Sendable {
    private struct Circuit {
        var failures = 0
        var pausedUntil = UnixTime(rawValue: 0)
    }

    private let circuits = Mutex<[String: Circuit]>([:])

    /// Whether the directory of a connection may be asked. After a pause one caller may, and the others wait for what
    /// comes of it.
    func admits(_ connection: String, at now: UnixTime) -> Bool {
        circuits.withLock { circuits in
            guard var circuit = circuits[connection], circuit.failures >= Limits.directoryFailuresMax else {
                return true
            }
            guard now >= circuit.pausedUntil else { return false }
            circuit.pausedUntil = now + Limits.directoryPauseSeconds
            circuits[connection] = circuit
            return true
        }
    }

    /// The directory answered, whatever it said.
    func answered(_ connection: String) {
        circuits.withLock { _ = $0.removeValue(forKey: connection) }
    }

    /// The directory did not answer.
    func failed(_ connection: String, at now: UnixTime) {
        circuits.withLock { circuits in
            if circuits.count >= Limits.connectionsMax { circuits.removeAll() }
            circuits[connection, default: Circuit()].failures += 1
            circuits[connection]?.pausedUntil = now + Limits.directoryPauseSeconds
        }
    }
}
