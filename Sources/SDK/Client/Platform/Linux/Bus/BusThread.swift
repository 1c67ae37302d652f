#if os(Linux)
    internal import Foundation

    /// Work that holds up its thread, on a thread of its own: those that tasks share must never wait for a socket.
    enum BusThread {
        static func run<Value: Sendable>(
            _ work: @escaping @Sendable () throws(BusProblem) -> Value
        ) async throws(BusProblem) -> Value {
            let result: Result<Value, BusProblem> = await withCheckedContinuation { waiting in
                let thread = Thread {
                    do throws(BusProblem) {
                        waiting.resume(returning: .success(try work()))
                    } catch {
                        waiting.resume(returning: .failure(error))
                    }
                }
                thread.name = "keyturn-bus"
                thread.start()
            }
            return try result.get()
        }
    }
#endif
