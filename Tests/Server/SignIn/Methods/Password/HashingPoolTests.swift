import Foundation
import KeyturnBase
import Testing
@testable import SignIn

@Suite("The threads that hash")
struct HashingPoolTests {
    #if os(Linux)
        @Test func `84: hashing gives way, and the rest of the process does not`() async throws {
            let pool = HashingPool(threads: 2)
            #expect(try await pool.run { getpriority(__priority_which_t(0), 0) } == 10)
            #expect(getpriority(__priority_which_t(0), 0) < 10)
        }
    #endif

    @Test func `84: never more at a time than there are threads`() async throws {
        let pool = HashingPool(threads: 3)
        let running = Locked((now: 0, most: 0))
        try await withThrowingTaskGroup { group in
            for _ in 0..<60 {
                group.addTask {
                    try await pool.run {
                        running.withLock {
                            $0.now += 1
                            $0.most = max($0.most, $0.now)
                        }
                        usleep(2_000)
                        running.withLock { $0.now -= 1 }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect((1...3).contains(running.withLock { $0.most }))
        #expect(running.withLock { $0.now } == 0)
    }

    @Test func `84: a check that waited too long is dropped`() async throws {
        // On threads of the usual priority, or a busy machine would decide what this test sees.
        let pool = HashingPool(threads: 1, backlogMax: 8, waitMilliseconds: 500) { body in
            Thread.detachNewThread(body)
            return true
        }
        let entered = Locked(false)
        let first = Task {
            try await pool.run {
                entered.withLock { $0 = true }
                while pool.waitingJobs == 0 { usleep(1_000) }
                usleep(600_000)
            }
        }
        while !entered.withLock({ $0 }) { await Task.yield() }
        await #expect(throws: HashingPool.Saturated.self) { try await pool.run {} }
        try await first.value
        try await pool.run {}
    }

    @Test func `84: a system without threads sheds, and the pool recovers`() async throws {
        let isExhausted = Locked(true)
        let pool = HashingPool(threads: 2, backlogMax: 8, waitMilliseconds: 1_000) { body in
            isExhausted.withLock { $0 } ? false : HashingThread.start(body)
        }
        for _ in 0..<5 {
            await #expect(throws: HashingPool.Saturated.self) { try await pool.run {} }
        }
        isExhausted.withLock { $0 = false }
        #expect(try await pool.run { 7 } == 7)
    }

    // One thread of the test is held inside the pool, so another is needed.
    @Test(.enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
    func `84: those who wait behind a thread that never came are not forgotten`() async throws {
        let entered = Locked(false)
        let mayFail = Locked(false)
        let pool = HashingPool(threads: 1, backlogMax: 8, waitMilliseconds: 60_000) { _ in
            entered.withLock { $0 = true }
            while !mayFail.withLock({ $0 }) { usleep(1_000) }
            return false
        }
        let first = Task.detached { try await pool.run {} }
        while !entered.withLock({ $0 }) { await Task.yield() }
        let second = Task.detached { try await pool.run {} }
        while pool.waitingJobs == 0 { await Task.yield() }
        mayFail.withLock { $0 = true }
        await #expect(throws: HashingPool.Saturated.self) { try await first.value }
        await #expect(throws: HashingPool.Saturated.self) { try await second.value }
    }

    @Test func `a hash of the highest accepted cost fits on the stack of such a thread`() async throws {
        let hash = "$argon2id$v=19$m=262144,t=1,p=8$c2FsdHNhbHQ$" + String(repeating: "A", count: 43)
        let foreign = try StoredPasswordHash(hash)
        #expect(try await HashingPool(threads: 1).run { foreign.matches(Secret("x")) } == false)
    }
}
