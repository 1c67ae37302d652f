internal import KeyturnBase
internal import Model
internal import Synchronization

/// Claims what is due in a queue and delivers it, beside the requests. Any number of loops may work on one queue.
struct DeliveryLoop<Claim: Sendable>: Sendable {
    /// Lives longer than the loop: what is under way counts until it is finished.
    let workload: Workload
    /// How often it looks by itself: something may have been added by another process.
    var pollEvery = Duration.seconds(DeliveryLimits.pollSeconds)
    /// Rings when something was added. One listener.
    let arrivals: AsyncStream<Void>
    let wake: @Sendable () -> Void
    /// Claims at most so many.
    let claim: @Sendable (Int) async throws(StoreError) -> [Claim]
    /// Delivers one claim, and writes down what became of it.
    let deliver: @Sendable (Claim) async -> Void
    let queueFailed: @Sendable (StoreError) -> Void

    /// Runs until ``stop()``, then finishes what is under way.
    func run() async {
        // Unstructured on purpose: a group would wait for it.
        let ticker = Task {
            while !Task.isCancelled {
                try? await Task.sleep(for: pollEvery)
                wake()
            }
        }
        defer { ticker.cancel() }
        await withDiscardingTaskGroup { group in
            for await _ in arrivals {
                if workload.isStopped { break }
                for claim in await claimFree() {
                    group.addTask {
                        await deliver(claim)
                        workload.end()
                        wake()
                    }
                }
            }
        }
    }

    /// Claims nothing more.
    func stop() {
        workload.stop()
        wake()
    }

    /// Delivers everything that is due now.
    ///
    /// - Returns: how many claims that were.
    func deliverDue() async -> Int {
        var total = 0
        while true {
            let claims = await claimFree()
            guard !claims.isEmpty else { return total }
            total += claims.count
            await withDiscardingTaskGroup { group in
                for claim in claims {
                    group.addTask {
                        await deliver(claim)
                        workload.end()
                    }
                }
            }
        }
    }

    private func claimFree() async -> [Claim] {
        let free = workload.begin()
        guard free > 0 else { return [] }
        var claims: [Claim] = []
        do throws(StoreError) {
            claims = try await claim(free)
        } catch {
            queueFailed(error)
        }
        for _ in claims.count..<free { workload.end() }
        return claims
    }
}

/// How many deliveries are under way.
final class Workload: Sendable {
    private struct State: Sendable {
        var inFlight = 0
        var isStopped = false
    }

    private let state = Mutex(State())
    private let max: Int

    /// - Parameter max: how many deliveries may be under way at the same time.
    init(max: Int) {
        self.max = max
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    func stop() {
        state.withLock { $0.isStopped = true }
    }

    /// Takes every free place, and says how many those were.
    func begin() -> Int {
        state.withLock { state in
            guard !state.isStopped else { return 0 }
            let free = Swift.max(0, max - state.inFlight)
            state.inFlight += free
            return free
        }
    }

    func end() {
        state.withLock { $0.inFlight -= 1 }
    }
}
