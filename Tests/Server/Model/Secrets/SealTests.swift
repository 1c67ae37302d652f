import KeyturnBase
import Model
import Testing

@Suite("Sealed state")
struct SealTests {
    let first = [UInt8](repeating: 1, count: 32)
    let second = [UInt8](repeating: 2, count: 32)

    private func seal(_ secrets: [[UInt8]], _ purpose: ServerSecrets.Purpose = .transaction) throws -> Seal {
        Seal(try #require(ServerSecrets(secrets)), purpose: purpose, ambient: .live)
    }

    @Test func `what was sealed opens, also after a change of secrets`() throws {
        let sealed = try seal([first]).seal(Array("transaction".utf8), context: [9])
        #expect(try seal([second, first]).open(sealed, context: [9]) == Array("transaction".utf8))
        #expect(try seal([second]).open(sealed, context: [9]) == nil)
    }

    @Test func `another purpose or another context does not open it`() throws {
        let sealed = try seal([first]).seal([1, 2, 3], context: [9])
        #expect(try seal([first], .signingKey).open(sealed, context: [9]) == nil)
        #expect(try seal([first]).open(sealed, context: [8]) == nil)
    }

    @Test func `every changed bit is noticed`() throws {
        let seal = try seal([first])
        let sealed = seal.seal(Array("transaction".utf8))
        for index in sealed.indices {
            for bit in 0..<8 {
                var changed = sealed
                changed[index] ^= 1 << UInt8(bit)
                #expect(seal.open(changed) == nil)
            }
        }
        #expect(seal.open([]) == nil)
        #expect(seal.open(Array(sealed.dropLast())) == nil)
    }
}
