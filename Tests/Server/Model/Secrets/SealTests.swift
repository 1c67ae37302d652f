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

    /// Made by another implementation of AES-GCM and HKDF: nonce and salt are 0, 1, 2 and so on.
    private static let older =
        "01a44b36b6000102030405060708090a0b0bda52919e3471e17bf22622e3f5ad2a4daa125ddcc5afd65243b3"
    private static let present =
        "02a44b36b6000102030405060708090a0b0c0d0e0f1011121314151617aa768c80a72dd0c0e3d00f51094c02ff7413047fef9a89485ee2b8"

    @Test func `a text is sealed as written down, and what was sealed before opens`() throws {
        let counting = Ambient(clock: { UnixTime(rawValue: 0) }, entropy: { (0..<$0).map(UInt8.init) })
        let seal = Seal(try #require(ServerSecrets([first])), purpose: .transaction, ambient: counting)
        let older = try #require(Base16.decode(Self.older))
        let present = try #require(Base16.decode(Self.present))
        #expect(seal.seal(Array("transaction".utf8), context: [9]) == present)
        for sealed in [older, present] {
            #expect(seal.open(sealed, context: [9]) == Array("transaction".utf8))
            #expect(seal.open(sealed, context: [8]) == nil)
            #expect(try self.seal([second]).open(sealed, context: [9]) == nil)
            #expect(try self.seal([first], .signingKey).open(sealed, context: [9]) == nil)
            #expect(try self.seal([second, first]).open(sealed, context: [9]) != nil)
        }
        #expect(seal.isCurrent(present) && !seal.isCurrent(older), "an older text is sealed anew where it is kept")
        #expect(try !self.seal([second, first]).isCurrent(present))
    }

    @Test func `no two texts have one key: the same text under the same nonce differs in every part`() throws {
        let seal = try seal([first])
        let texts = (0..<200).map { _ in seal.seal([UInt8](repeating: 0, count: 64)) }
        #expect(Set(texts.map { Array($0[5..<29]) }).count == 200, "each has its salt")
        // Of two texts under one key and one nonce, equal plaintexts have equal ciphertexts.
        #expect(Set(texts.map { Array($0[29..<93]) }).count == 200)
        var moved = texts[0]
        moved.replaceSubrange(5..<29, with: texts[1][5..<29])
        #expect(seal.open(moved) == nil, "another text's salt")
    }

    @Test func `every changed bit is noticed, in both forms`() throws {
        let seal = try seal([first])
        for sealed in [Self.older, Self.present] {
            let sealed = try #require(Base16.decode(sealed))
            for index in sealed.indices {
                for bit in 0..<8 {
                    var changed = sealed
                    changed[index] ^= 1 << UInt8(bit)
                    #expect(seal.open(changed, context: [9]) == nil, "\(index)")
                }
            }
            for count in 0..<sealed.count { #expect(seal.open(Array(sealed[..<count]), context: [9]) == nil) }
            #expect(seal.open(sealed + [0], context: [9]) == nil)
        }
        #expect(seal.open([3] + (try #require(Base16.decode(Self.present))).dropFirst(), context: [9]) == nil)
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
