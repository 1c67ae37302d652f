/// What timers need of the system.
enum SystemTimers {
    /// Opens it, once for each clock. Where it is opened with the first timer, as libdispatch does on Linux, a process that
    /// has no file left at that moment ends. Waits for none of them: they may be late where the system's clock is changed.
    static func open() {
        // Long enough to need a timer.
        let moment = Duration.milliseconds(2)
        Task { try? await Task.sleep(for: moment, clock: .continuous) }
        Task { try? await Task.sleep(for: moment, clock: .suspending) }
    }
}
