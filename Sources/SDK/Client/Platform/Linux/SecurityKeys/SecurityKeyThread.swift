#if os(Linux)
    internal import Foundation

    /// Work that waits for a key, on a thread of its own: those that tasks share must never wait for a person.
    enum SecurityKeyThread {
        static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
            await withCheckedContinuation { waiting in
                let thread = Thread { waiting.resume(returning: work()) }
                thread.name = "keyturn-security-key"
                thread.start()
            }
        }
    }
#endif
