/// Asks the system for time to finish something before it suspends the process.
protocol FinishingTime: Sendable {
    /// - Parameters:
    ///   - reason: For the system's log.
    ///   - expired: The time is over: called at most once, and the process is suspended a moment later.
    /// - Returns: What ends the wish.
    func ask(_ reason: String, expired: @escaping @Sendable () async -> Void) -> any FinishingWish
}

/// A wish for time that was made.
protocol FinishingWish: Sendable {
    /// It is done. Saying so twice is harmless.
    func end()
}

/// Where a process is not suspended.
struct EndlessTime: FinishingTime, FinishingWish {
    func ask(_ reason: String, expired: @escaping @Sendable () async -> Void) -> any FinishingWish { self }
    func end() {}
}

/// A lock that is let go before the system suspends the process: iOS ends one that holds a lock in an app group's
/// folder (0xdead10cc), and others would wait for it.
struct FinishingLock: StoreLock {
    private let lock: any StoreLock
    private let wish: any FinishingWish

    init(_ lock: any StoreLock, _ time: any FinishingTime) {
        self.lock = lock
        wish = time.ask("renewing a session") { await lock.unlock() }
    }

    func unlock() async {
        await lock.unlock()
        wish.end()
    }
}
