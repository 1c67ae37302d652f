internal import Foundation
internal import Identity
internal import KeyturnBase
internal import Model

/// Moves the clock of a development server, and does at once what is due by then.
struct TimeTravel: Sendable {
    let clock: DevelopmentClock
    let services: IdentityServices

    /// Moves the clock, then has keys rotated, expired rows removed and due messages sent: in the time between, the
    /// server would have done so by itself.
    func move(_ change: TimeChange) async throws(DevelopmentClock.Problem) {
        try clock.move(change)
        let upkeep = Upkeep(services) { _ in }
        await upkeep.maintainKeys()
        await upkeep.removeExpired()
        services.messages.wake()
    }

    /// What to do about a refused move.
    static func hint(_ problem: DevelopmentClock.Problem) -> String {
        switch problem {
        case .past(let now):
            "time only goes forward, and it is \(text(now)) here: start keyturn dev again to return to the present"
        case .tooFar: "at most ten years ahead of the machine's clock"
        }
    }

    /// A moment as RFC 3339 §5.6 writes it, in UTC.
    static func text(_ time: UnixTime) -> String {
        Date(timeIntervalSince1970: TimeInterval(time.rawValue)).formatted(.iso8601)
    }
}
