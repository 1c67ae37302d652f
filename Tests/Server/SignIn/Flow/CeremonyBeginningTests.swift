import KeyturnBase
import Model
import Testing

@testable import SignIn

@Suite("Passkey ceremonies of before the end of their user's sessions")
struct CeremonyBeginningTests {
    private func user(epoch: Int64, endedAt: Int64?) -> User {
        User(
            id: UserID(rawValue: "andy"), createdAt: UnixTime(rawValue: 0), updatedAt: UnixTime(rawValue: 0),
            epoch: epoch, endedAt: endedAt.map { UnixTime(rawValue: $0) })
    }

    @Test func `one that named its user is older only if something happened since`() {
        let named = CeremonyBeginning(time: UnixTime(rawValue: 100), epoch: 3)
        #expect(!named.isBeforeEnd(of: user(epoch: 3, endedAt: 100)))
        #expect(named.isBeforeEnd(of: user(epoch: 4, endedAt: 100)))
        #expect(!named.isBeforeEnd(of: user(epoch: 4, endedAt: 99)), "a password alone was changed")
        #expect(!named.isBeforeEnd(of: user(epoch: 4, endedAt: nil)))
    }

    @Test func `of one that named none, the second decides, and within it nothing is older`() {
        let unnamed = CeremonyBeginning(time: UnixTime(rawValue: 100), epoch: nil)
        #expect(unnamed.isBeforeEnd(of: user(epoch: 3, endedAt: 101)))
        #expect(!unnamed.isBeforeEnd(of: user(epoch: 3, endedAt: 100)))
    }
}
