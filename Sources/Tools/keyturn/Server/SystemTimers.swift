/// What timers need of the system.
enum SystemTimers {
    /// Opens it, once for each clock. Where it is opened with the first timer, as libdispatch does on Linux, a process that
    /// has no file left at that moment ends.
    static func open() async throws {
        // Long enough to need a timer.
        let moment = Duration.milliseconds(2)
        try await Task.sleep(for: moment, clock: .continuous)
        try await Task.sleep(for: moment, clock: .suspending)
    }
}
