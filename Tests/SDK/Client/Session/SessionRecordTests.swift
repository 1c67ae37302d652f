import KeyturnBase
import Testing

@testable import Keyturn

@Suite("The session as it is stored")
struct SessionRecordTests {
    @Test func `a stored record reads back as it was written`() throws {
        var record = SessionMachineTests.record(7)
        #expect(try SessionRecord(record.stored) == record)
        record.keyThumbprint = "thumb"
        record.isSenderConstrained = true
        record = record.beginningRenewal(at: UnixTime(rawValue: 5))
        #expect(try SessionRecord(record.stored) == record)
        #expect(record.generation.number == 8)
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
