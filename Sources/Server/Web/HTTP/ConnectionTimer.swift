internal import NIOCore

/// One timer for all deadlines of a connection. It is replaced only by an earlier one: most deadlines pass without their
/// timer.
struct ConnectionTimer {
    private var running: (task: Scheduled<Void>, deadline: NIODeadline)?

    mutating func set(at deadline: NIODeadline, on loop: any EventLoop, _ body: @escaping () -> Void) {
        if let running {
            guard deadline < running.deadline else { return }
            running.task.cancel()
        }
        running = (loop.assumeIsolated().scheduleTask(deadline: deadline, body), deadline)
    }

    mutating func clear() {
        running?.task.cancel()
        running = nil
    }
}
