internal import Synchronization

/// Polls that wait for an event, by client: each asks the database once a second.
final class WaitingPolls: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// - Returns: `false` if so many of the client's wait already.
    func begin(_ clientID: String, max: Int) -> Bool {
        counts.withLock { counts in
            guard counts[clientID, default: 0] < max else { return false }
            counts[clientID, default: 0] += 1
            return true
        }
    }

    func end(_ clientID: String) {
        counts.withLock { counts in
            counts[clientID, default: 0] -= 1
            if counts[clientID] == 0 { counts[clientID] = nil }
        }
    }
}
