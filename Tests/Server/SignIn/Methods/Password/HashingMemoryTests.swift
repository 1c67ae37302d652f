import KeyturnBase
import Model
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

    @Test func `a kept block holds nothing of the hash that used it`() throws {
        let parameters = Argon2Parameters(memoryKiB: 1_016, passes: 1, lanes: 1)
        let bytes = Int(parameters.memoryKiB) * 1_024
        // While the hash runs, the block is full of what the password became.
        var isEmpty = false
        HashingMemory.shared.keeping {
            #expect(Argon2.derive(Secret("password"), parameters, salt: [UInt8](repeating: 1, count: 16)) != nil)
            #expect(HashingMemory.shared.waitingBlocks > 0)
            guard let start = unsafe HashingMemory.shared.take(bytes) else { return }
            isEmpty = unsafe UnsafeRawBufferPointer(start: start, count: bytes).allSatisfy { $0 == 0 }
            unsafe HashingMemory.shared.giveBack(start, bytes)
        }
        #expect(isEmpty)
    }
}
