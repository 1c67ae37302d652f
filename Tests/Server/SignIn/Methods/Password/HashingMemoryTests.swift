import Testing

@testable import SignIn

@Suite("The memory in which passwords are hashed")
struct HashingMemoryTests {
    private static let bytes = 123 * 4_096
    private let memory = HashingMemory()

    private func taken() throws -> UnsafeMutableRawPointer {
        let start = try unsafe #require(memory.take(Self.bytes))
        // It can be written to, to its end.
        unsafe start.storeBytes(of: 7, toByteOffset: Self.bytes - 1, as: UInt8.self)
        return unsafe start
    }

    @Test func `a thread uses one block again and again, and gives it back when it ends`() throws {
        var places: Set<UInt> = []
        memory.keeping {
            for _ in 0..<3 {
                guard let start = try? unsafe taken() else { continue }
                places.insert(UInt(bitPattern: start))
                unsafe memory.giveBack(start, Self.bytes)
                #expect(memory.waitingBlocks == 1)
            }
        }
        #expect(places.count == 1)
        #expect(memory.waitingBlocks == 0)
    }

    @Test func `two hashes at once have two blocks, and no more wait than threads run`() throws {
        memory.keeping {
            guard let first = try? unsafe taken(), let second = try? unsafe taken() else { return }
            #expect(unsafe first != second)
            unsafe memory.giveBack(first, Self.bytes)
            unsafe memory.giveBack(second, Self.bytes)
            #expect(memory.waitingBlocks == 1)
        }
        #expect(memory.waitingBlocks == 0)
    }

    @Test func `a block of another size is not given out, and outside a hashing thread none is kept`() throws {
        memory.keeping {
            guard let start = try? unsafe taken() else { return }
            unsafe memory.giveBack(start, Self.bytes)
            let other = unsafe memory.take(Self.bytes * 2)
            #expect(memory.waitingBlocks == 1)
            if let other = unsafe other { unsafe memory.giveBack(other, Self.bytes * 2) }
        }
        let start = try unsafe taken()
        unsafe memory.giveBack(start, Self.bytes)
        #expect(memory.waitingBlocks == 0)
    }
}
