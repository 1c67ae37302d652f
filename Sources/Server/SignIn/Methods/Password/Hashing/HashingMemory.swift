#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif
internal import Synchronization

/// The memory in which passwords are hashed: 19 MiB each time, in large pages where the system has them. In small ones,
/// made anew for each hash, their page faults would take a third of the time.
///
/// A block is kept while a ``HashingThread`` runs, and given back when it ends: no sign-in leaves memory behind. Argon2
/// overwrites a block before it hands it back, so the next hash finds nothing of the last one.
final class HashingMemory: Sendable {
    static let shared = HashingMemory()

    /// Unchecked: a block belongs to one hash, or lies in the list of those that wait for the next.
    @safe private struct Block: @unchecked Sendable {
        let start: UnsafeMutableRawPointer
        let bytes: Int
    }

    private struct State {
        var threads = 0
        var waiting: [Block] = []
    }

    private let state = Mutex(State())

    /// Runs `body`, whose hashes use one block after another.
    func keeping(_ body: () -> Void) {
        state.withLock { $0.threads += 1 }
        body()
        let unused = state.withLock { state -> Block? in
            state.threads -= 1
            return state.waiting.count > state.threads ? state.waiting.removeLast() : nil
        }
        if let unused { unmap(unused) }
    }

    /// - Returns: `nil` if there is no memory left.
    func take(_ bytes: Int) -> UnsafeMutableRawPointer? {
        let kept = state.withLock { state in
            state.waiting.firstIndex { $0.bytes == bytes }.map { state.waiting.remove(at: $0) }
        }
        return unsafe kept?.start ?? map(bytes)
    }

    func giveBack(_ start: UnsafeMutableRawPointer, _ bytes: Int) {
        let block = unsafe Block(start: start, bytes: bytes)
        let isKept = state.withLock { state in
            guard state.waiting.count < state.threads else { return false }
            state.waiting.append(block)
            return true
        }
        if !isKept { unmap(block) }
    }

    /// Blocks that wait for the next hash; for tests.
    var waitingBlocks: Int { state.withLock { $0.waiting.count } }

    private func map(_ bytes: Int) -> UnsafeMutableRawPointer? {
        let start = unsafe mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else { return nil }
        #if !canImport(Darwin)
            // Where the system has no large pages it says so, and the small ones do as well.
            unsafe madvise(start, bytes, MADV_HUGEPAGE)
        #endif
        return unsafe start
    }

    private func unmap(_ block: Block) {
        unsafe munmap(block.start, block.bytes)
    }
}
