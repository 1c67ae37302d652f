import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("The session as a state machine")
struct SessionMachineTests {
    static let start = Moment(wall: UnixTime(rawValue: 1_000_000), uptime: 50)
    static let outage = AuthError(.unavailable, "down")

    static func record(_ number: UInt64 = 1, signIn: String = "a", lifetime: Int64? = 600) -> SessionRecord {
        SessionRecord(
            generation: Generation(signIn: signIn, number: number),
            client: .init(kind: .openID, issuer: "https://id.example.com", clientID: "app"),
            accessToken: "access-\(signIn)\(number)", obtainedAt: start.wall,
            expiresAt: lifetime.map { start.wall + $0 }, refreshToken: "refresh-\(signIn)\(number)", idToken: nil,
            scope: .none)
    }

    static func signedIn(_ record: SessionRecord = record(), at now: Moment = start) -> SessionMachine {
        var machine = SessionMachine()
        machine.absorb(.found(record), at: now)
        _ = machine.takeChanges()
        return machine
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let secondsLater: Int64
        var minimum: Int64 = 60
        var lifetime: Int64 = 600
        let need: SessionMachine.Need
        var testDescription: String { name }
    }

    static let token = "access-a1"
    static let cases = [
        Case(name: "a new token is used", secondsLater: 0, need: .token(token)),
        Case(name: "a token is used to the second before its last minute", secondsLater: 539, need: .token(token)),
        Case(name: "the last minute renews", secondsLater: 540, need: .renew(fallback: token)),
        Case(name: "a long token is used for nine tenths", secondsLater: 3_239, lifetime: 3_600, need: .token(token)),
        Case(
            name: "the last tenth renews and keeps a fallback", secondsLater: 3_240, lifetime: 3_600,
            need: .renew(fallback: token)),
        Case(name: "a minimum just missed has no fallback", secondsLater: 541, need: .renew(fallback: nil)),
        Case(name: "a token that ran out is no fallback", secondsLater: 600, minimum: 0, need: .renew(fallback: nil)),
        Case(
            name: "a short token lives for half its time", secondsLater: 9, minimum: 0, lifetime: 20,
            need: .token(token)),
        Case(
            name: "and is renewed in the other half", secondsLater: 10, minimum: 0, lifetime: 20,
            need: .renew(fallback: token)),
        Case(name: "more than a lifetime is not asked for again", secondsLater: 0, minimum: 9_000, need: .token(token)),
        Case(
            name: "more than a lifetime is asked for later", secondsLater: 61, minimum: 9_000,
            need: .renew(fallback: nil)),
    ]

    @Test(arguments: cases)
    func `what a caller gets`(_ c: Case) {
        let machine = Self.signedIn(Self.record(lifetime: c.lifetime))
        let now = Self.start + c.secondsLater
        #expect(machine.need(minimumSeconds: c.minimum, at: now) == c.need)
        let isAtHand = machine.cached?.isGood(minimumSeconds: c.minimum, at: now.uptime) ?? false
        #expect(isAtHand == (c.need == .token(Self.token)))
    }

    @Test(arguments: [-31_536_000, -3_600, -90, 90, 3_600, 31_536_000])
    func `whoever sets the wall clock changes nothing`(_ jump: Int64) {
        let machine = Self.signedIn()
        let jumped = Moment(wall: Self.start.wall + jump, uptime: Self.start.uptime)
        #expect(machine.need(minimumSeconds: 60, at: jumped + 539) == .token(Self.token))
        #expect(machine.need(minimumSeconds: 60, at: jumped + 541) == .renew(fallback: nil))
    }

    @Test func `a record from the future is renewed, but it may be used`() {
        let machine = Self.signedIn(at: Moment(wall: Self.start.wall - 6, uptime: 0))
        #expect(
            machine.need(minimumSeconds: 60, at: Moment(wall: Self.start.wall, uptime: 0))
                == .renew(fallback: Self.token))
        let small = Self.signedIn(at: Moment(wall: Self.start.wall - 5, uptime: 0))
        #expect(small.need(minimumSeconds: 60, at: Moment(wall: Self.start.wall, uptime: 0)) == .token(Self.token))
    }

    @Test func `a lifetime that the server keeps to itself is not guessed`() {
        let machine = Self.signedIn(Self.record(lifetime: nil))
        #expect(machine.need(minimumSeconds: 60, at: Self.start + 1_000_000) == .token(Self.token))
        #expect(machine.state(at: Self.start + 1_000_000) == .signedIn(.fresh))
    }

    @Test func `nothing is known before the store was read`() {
        let machine = SessionMachine()
        #expect(machine.state(at: Self.start) == .unknown)
        #expect(machine.need(minimumSeconds: 60, at: Self.start) == .load)
        #expect(machine.cached == nil)
    }

    @Test func `an unreadable store is not an empty one`() {
        var machine = SessionMachine()
        let error = AuthError(.storeUnavailable, "locked")
        machine.absorb(.unavailable(error), at: Self.start)
        #expect(machine.takeChanges() == [SessionChange(.unknown, .storeUnavailable, error: error)])
        #expect(machine.phase == .unknown)
        machine.absorb(.absent, at: Self.start)
        #expect(machine.takeChanges() == [SessionChange(.signedOut, .nothingStored)])
    }

    @Test func `an unreadable store takes nothing from a session in memory`() {
        var machine = Self.signedIn()
        machine.absorb(.unavailable(AuthError(.storeUnavailable, "locked")), at: Self.start)
        #expect(machine.takeChanges().isEmpty)
        #expect(machine.record == Self.record())
    }

    @Test func `the last word on the current generation ends the session, and on another it does not`() {
        var machine = Self.signedIn()
        let error = AuthError(.refused, "invalid_grant")
        machine.end(.refused, error, of: Self.record(2).generation)
        machine.renewalFailed(
            Self.outage, of: Self.record(1, signIn: "b").generation, jitter: 100, at: Self.start + 700)
        #expect(machine.takeChanges().isEmpty)
        machine.end(.refused, error, of: Self.record().generation)
        #expect(machine.takeChanges() == [SessionChange(.ended(.refused), .ended, error: error)])
        #expect(machine.state(at: Self.start) == .ended(.refused))
        // What could not be removed from the store is nobody's session.
        machine.absorb(.found(Self.record(3)), at: Self.start)
        #expect(machine.state(at: Self.start) == .ended(.refused))
        machine.absorb(.found(Self.record(1, signIn: "b")), at: Self.start)
        #expect(machine.state(at: Self.start) == .signedIn(.fresh))
    }

    @Test func `failing renewals make a session stale once, and never end it`() {
        var machine = Self.signedIn()
        let generation = Self.record().generation
        machine.renewalFailed(Self.outage, of: generation, jitter: 100, at: Self.start + 590)
        #expect(machine.takeChanges().isEmpty)
        machine.renewalFailed(Self.outage, of: generation, jitter: 100, at: Self.start + 600)
        let staleness = SessionState.Staleness(reason: .unavailable, retryAt: Self.start.wall + 602)
        #expect(
            machine.takeChanges()
                == [SessionChange(.signedIn(.stale(staleness)), .refreshFailed, error: Self.outage)])
        machine.renewalFailed(Self.outage, of: generation, jitter: 100, at: Self.start + 602)
        #expect(machine.takeChanges().isEmpty)
        let later = SessionState.Staleness(reason: .unavailable, retryAt: Self.start.wall + 606)
        #expect(machine.state(at: Self.start + 602) == .signedIn(.stale(later)))
    }

    @Test func `pauses grow, to a bound, and are never the same for all`() {
        var machine = Self.signedIn(Self.record(lifetime: 3_600))
        let generation = Self.record().generation
        let now = Self.start + 3_300
        for (failure, pause) in [2, 4, 8, 16, 32, 60, 60].enumerated() {
            machine.renewalFailed(Self.outage, of: generation, jitter: 100, at: now)
            let last = now + (Int64(pause) - 1)
            #expect(machine.need(minimumSeconds: 60, at: last) == .token(Self.token), "\(failure)")
            #expect(
                machine.need(minimumSeconds: 60, at: now + Int64(pause)) == .renew(fallback: Self.token), "\(failure)")
        }
        machine.renewalFailed(Self.outage, of: generation, jitter: 50, at: now)
        #expect(machine.need(minimumSeconds: 60, at: now + 30) == .renew(fallback: Self.token))
    }

    @Test func `who waits for a token is let through at once after one failure, and soon after more`() {
        var machine = Self.signedIn()
        let generation = Self.record().generation
        let now = Self.start + 600
        machine.renewalFailed(Self.outage, of: generation, jitter: 100, at: now)
        #expect(machine.need(minimumSeconds: 60, at: now) == .renew(fallback: nil))
        for pause: Int64 in [2, 4, 8, 8, 8] {
            machine.renewalFailed(Self.outage, of: generation, jitter: 100, at: now)
            #expect(machine.need(minimumSeconds: 60, at: now) == .wait(seconds: pause))
            #expect(machine.need(minimumSeconds: 60, at: now + pause) == .renew(fallback: nil))
            // Whoever insists is not held up.
            #expect(machine.needNew(at: now) == .renew(fallback: nil))
        }
    }

    @Test func `a server that asks for a pause gets it`() {
        var machine = Self.signedIn()
        let error = AuthError(.unavailable, "busy", server: .init(status: 429, retryAfterSeconds: 30))
        machine.renewalFailed(error, of: Self.record().generation, jitter: 50, at: Self.start + 600)
        #expect(machine.need(minimumSeconds: 60, at: Self.start + 629) == .wait(seconds: 1))
        #expect(machine.needNew(at: Self.start + 629) == .wait(seconds: 1))
        #expect(machine.need(minimumSeconds: 60, at: Self.start + 630) == .renew(fallback: nil))
        // The wall clock went back by a year: the pause must not last one.
        let back = Moment(wall: Self.start.wall - 31_536_000, uptime: Self.start.uptime + 630)
        #expect(machine.need(minimumSeconds: 60, at: back) == .renew(fallback: nil))
    }

    @Test func `what another process renewed is adopted, and what it removed is gone`() {
        var machine = Self.signedIn()
        machine.absorb(.found(Self.record(2)), at: Self.start)
        #expect(machine.takeChanges() == [SessionChange(.signedIn(.fresh), .changedElsewhere)])
        #expect(machine.record == Self.record(2))
        machine.absorb(.absent, at: Self.start)
        #expect(machine.takeChanges() == [SessionChange(.signedOut, .changedElsewhere)])
    }

    @Test func `a record that could not be stored is not forgotten for what it was made from`() {
        var machine = Self.signedIn()
        machine.adopt(Self.record(2), .refreshed, isDurable: false, at: Self.start)
        machine.absorb(.found(Self.record()), at: Self.start)
        #expect(machine.record == Self.record(2))
        #expect(!machine.isDurable)
    }

    @Test func `a renewal that was interrupted is made up for, and nobody need wait`() {
        let machine = Self.signedIn(Self.record().beginningRenewal(at: Self.start.wall))
        #expect(machine.need(minimumSeconds: 60, at: Self.start) == .renew(fallback: Self.token))
        #expect(machine.cached == nil)
    }

    @Test func `a session without refresh token lasts as long as its access token`() {
        var record = Self.record()
        record.refreshToken = nil
        let machine = Self.signedIn(record)
        #expect(machine.need(minimumSeconds: 60, at: Self.start + 540) == .token(Self.token))
        #expect(machine.need(minimumSeconds: 60, at: Self.start + 541) == .fail(.tokenExpired))
        #expect(machine.needNew(at: Self.start) == .fail(.unsupported))
    }
}
