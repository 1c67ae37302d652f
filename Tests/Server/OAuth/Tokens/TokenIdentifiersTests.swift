import KeyturnBase
import Synchronization
import Testing

@testable import OAuth

@Suite("Identifiers of tokens")
struct TokenIdentifiersTests {
    @Test func `all are different, and the system is asked for many at once`() {
        let asked = Mutex(0)
        let ambient = Ambient(
            clock: { UnixTime(rawValue: 0) },
            entropy: { count in
                asked.withLock { $0 += 1 }
                return Ambient.live.randomBytes(count)
            })
        let identifiers = TokenIdentifiers(ambient)
        let made = (0..<1000).map { _ in identifiers.next() }
        #expect(Set(made).count == 1000)
        #expect(made.allSatisfy { $0.utf8.count == 22 })
        #expect(asked.withLock { $0 } == 4)
    }
}
