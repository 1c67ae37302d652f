import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("The session as a state machine")
struct SessionMachineTests {
    static let start = UnixTime(rawValue: 1_000_000)
    static let outage = AuthError(.unavailable, "down")

    static func record(_ number: UInt64 = 1, signIn: String = "a", lifetime: Int64? = 600) -> SessionRecord {
        SessionRecord(
            generation: Generation(signIn: signIn, number: number),
            client: .init(kind: .openID, issuer: "https://id.example.com", clientID: "app"),
            accessToken: "access-\(signIn)\(number)", obtainedAt: start, expiresAt: lifetime.map { start + $0 },
            refreshToken: "refresh-\(signIn)\(number)", idToken: nil, scope: .none)
    }

    static func signedIn(_ record: SessionRecord = record()) -> SessionMachine {
        var machine = SessionMachine()
        _ = machine.handle(.read(.found(record)), at: start)
        return machine
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let secondsLater: Int64
        var minimum: Int64 = 60
        let need: SessionMachine.Need
        var testDescription: String { name }
    }

    static let token = "access-a1"
    static let cases = [
        Case(name: "a new token is used", secondsLater: 0, need: .token(token)),
        Case(name: "a token is used to the second before renewal ahead", secondsLater: 480, need: .token(token)),
        Case(name: "renewal ahead of the end keeps a fallback", secondsLater: 481, need: .renew(fallback: token)),
        Case(name: "a minimum just kept has a fallback", secondsLater: 540, need: .renew(fallback: token)),
        Case(name: "a minimum just missed has none", secondsLater: 541, need: .renew(fallback: nil)),
        Case(name: "a token that ran out is no fallback", secondsLater: 600, minimum: 0, need: .renew(fallback: nil)),
        Case(name: "a clock gone back renews but does not insist", secondsLater: -6, need: .renew(fallback: token)),
        Case(name: "a small step back is nothing", secondsLater: -5, need: .token(token)),
        Case(name: "more than a lifetime is not asked for again", secondsLater: 0, minimum: 9_000, need: .token(token)),
        Case(
            name: "more than a lifetime is asked for later", secondsLater: 61, minimum: 9_000,
            need: .renew(fallback: nil)),
    ]

    @Test(arguments: cases)
    func `what a caller gets`(_ c: Case) {
        let machine = Self.signedIn()
        #expect(machine.need(minimumSeconds: c.minimum, at: Self.start + c.secondsLater) == c.need)
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
    }

    @Test func `an unreadable store is not an empty one`() {
        var machine = SessionMachine()
        let error = AuthError(.storeUnavailable, "locked")
        let actions = machine.handle(.read(.unavailable(error)), at: Self.start)
        #expect(actions == [.publish(SessionChange(.unknown, .storeUnavailable, error: error))])
        #expect(machine.phase == .unknown)
        #expect(machine.handle(.read(.absent), at: Self.start) == [.publish(SessionChange(.signedOut, .nothingStored))])
    }

    @Test func `an unreadable store takes nothing from a session in memory`() {
        var machine = Self.signedIn()
        let reading = SessionMachine.Reading.unavailable(AuthError(.storeUnavailable, "locked"))
        #expect(machine.handle(.read(reading), at: Self.start).isEmpty)
        #expect(machine.record == Self.record())
    }

    @Test func `a renewal is stored before it is announced`() {
        var machine = Self.signedIn()
        let next = Self.record(2)
        let actions = machine.handle(.renewed(next, from: Self.record().generation), at: Self.start)
        #expect(actions == [.save(next), .publish(SessionChange(.signedIn(.fresh), .refreshed))])
        #expect(!machine.isDurable)
        _ = machine.handle(.saved(next.generation), at: Self.start)
        #expect(machine.isDurable)
    }

    @Test func `an answer that comes after sign-out revives nobody`() {
        var machine = Self.signedIn()
        _ = machine.handle(.signedOut, at: Self.start)
        let actions = machine.handle(.renewed(Self.record(2), from: Self.record().generation), at: Self.start)
        #expect(actions == [.revoke(refreshToken: "refresh-a2")])
        #expect(machine.phase == .signedOut)
    }

    @Test func `an answer for the last session does not touch the next one`() {
        var machine = Self.signedIn()
        let other = Self.record(1, signIn: "b")
        _ = machine.handle(.signedIn(other), at: Self.start)
        let old = Self.record().generation
        #expect(machine.handle(.renewed(Self.record(2), from: old), at: Self.start).isEmpty)
        #expect(machine.handle(.ended(Self.outage, of: old), at: Self.start).isEmpty)
        #expect(machine.handle(.renewalFailed(Self.outage, of: old), at: Self.start + 700).isEmpty)
        #expect(machine.record == other)
    }

    @Test func `the last word on the current generation ends the session`() {
        var machine = Self.signedIn()
        let error = AuthError(.refused, "invalid_grant")
        let generation = Self.record().generation
        #expect(
            machine.handle(.ended(error, of: generation), at: Self.start)
                == [.remove(generation), .publish(SessionChange(.signedOut, .ended, error: error))])
        #expect(machine.phase == .signedOut)
    }

    @Test func `failing renewals make a session stale once, and never end it`() {
        var machine = Self.signedIn()
        let generation = Self.record().generation
        let early = machine.handle(.renewalFailed(Self.outage, of: generation), at: Self.start + 590)
        #expect(early.isEmpty)
        let late = machine.handle(.renewalFailed(Self.outage, of: generation), at: Self.start + 600)
        #expect(late == [.publish(SessionChange(.signedIn(.stale), .refreshFailed, error: Self.outage))])
        #expect(machine.handle(.renewalFailed(Self.outage, of: generation), at: Self.start + 601).isEmpty)
        #expect(machine.state(at: Self.start + 601) == .signedIn(.stale))
    }

    @Test func `a pause follows a renewal that was not urgent and failed`() {
        var machine = Self.signedIn()
        _ = machine.handle(.renewalFailed(Self.outage, of: Self.record().generation), at: Self.start + 500)
        #expect(machine.need(minimumSeconds: 60, at: Self.start + 501) == .token(Self.token))
        #expect(machine.need(minimumSeconds: 60, at: Self.start + 502) == .renew(fallback: Self.token))
        #expect(machine.need(minimumSeconds: 300, at: Self.start + 501) == .renew(fallback: nil))
    }

    @Test func `a server that asks for a pause gets it`() {
        var machine = Self.signedIn()
        let error = AuthError(.unavailable, "busy", server: .init(status: 429, retryAfterSeconds: 30))
        _ = machine.handle(.renewalFailed(error, of: Self.record().generation), at: Self.start + 600)
        #expect(machine.need(minimumSeconds: 60, at: Self.start + 629) == .wait(seconds: 1))
        #expect(machine.needNew(at: Self.start + 629) == .wait(seconds: 1))
        #expect(machine.need(minimumSeconds: 60, at: Self.start + 630) == .renew(fallback: nil))
        // The clock went back by a year: the pause must not last one.
        #expect(machine.need(minimumSeconds: 60, at: Self.start - 31_536_000) == .renew(fallback: Self.token))
    }

    @Test func `what another process renewed is adopted, and what it removed is gone`() {
        var machine = Self.signedIn()
        let actions = machine.handle(.read(.found(Self.record(2))), at: Self.start)
        #expect(actions == [.publish(SessionChange(.signedIn(.fresh), .changedElsewhere))])
        #expect(machine.record == Self.record(2))
        #expect(
            machine.handle(.read(.absent), at: Self.start)
                == [.publish(SessionChange(.signedOut, .changedElsewhere))])
    }

    @Test func `a record that could not be stored is stored when the store is seen again`() {
        var machine = Self.signedIn()
        let next = Self.record(2)
        _ = machine.handle(.renewed(next, from: Self.record().generation), at: Self.start)
        _ = machine.handle(.saveFailed(next.generation), at: Self.start)
        #expect(machine.handle(.read(.found(Self.record())), at: Self.start) == [.save(next)])
        #expect(machine.record == next)
    }

    @Test func `a session without refresh token lasts as long as its access token`() {
        var record = Self.record()
        record.refreshToken = nil
        let machine = Self.signedIn(record)
        #expect(machine.need(minimumSeconds: 60, at: Self.start + 540) == .token(Self.token))
        #expect(machine.need(minimumSeconds: 60, at: Self.start + 541) == .fail(.tokenExpired))
        #expect(machine.needNew(at: Self.start) == .fail(.unsupported))
    }

    @Test func `a stored record reads back as it was written`() throws {
        let record = Self.record(7)
        #expect(try SessionRecord(record.stored) == record)
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let name: String
        let contents: String
        var testDescription: String { name }
    }

    static let damages = [
        Damage(name: "nothing", contents: ""), Damage(name: "not JSON", contents: "{"),
        Damage(name: "another version", contents: #"{"version":2}"#),
        Damage(name: "no tokens", contents: #"{"version":1,"service":"openid"}"#),
    ]

    @Test(arguments: damages)
    func `a record that cannot be read is unavailable, not absent`(_ damage: Damage) {
        let stored = StoredRecord(
            generation: Generation(signIn: "a", number: 1), contents: Array(damage.contents.utf8))
        #expect(throws: AuthError(.storeUnavailable, "")) { try SessionRecord(stored) }
    }
}
