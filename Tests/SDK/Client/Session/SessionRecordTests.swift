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

    @Test func `what the service wants of the user is kept, until it gives new tokens`() throws {
        var record = SessionMachineTests.record()
        record.needsInteraction = true
        #expect(try SessionRecord(record.stored).needsInteraction)
        #expect(try SessionRecord(record.beginningRenewal(at: UnixTime(rawValue: 5)).stored).needsInteraction)
        let grant = TokenGrant(
            accessToken: "new", expiresInSeconds: 600, refreshToken: "two", idToken: nil, scope: nil)
        #expect(!record.renewed(by: grant, at: UnixTime(rawValue: 6)).needsInteraction)
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let name: String
        let contents: String
        var code = AuthError.Code.storeKeyLost
        var testDescription: String { name }
    }

    static let damages = [
        Damage(name: "nothing", contents: ""), Damage(name: "not JSON", contents: "{"),
        Damage(name: "another version", contents: #"{"version":2}"#, code: .storeUnavailable),
        Damage(name: "no tokens", contents: #"{"version":1,"service":"openid"}"#),
    ]

    @Test(arguments: damages)
    func `a record that cannot be read is unavailable or lost, not absent`(_ damage: Damage) {
        let stored = StoredRecord(
            generation: Generation(signIn: "a", number: 1), contents: Array(damage.contents.utf8))
        #expect(throws: AuthError(damage.code, "")) { try SessionRecord(stored) }
    }
}
