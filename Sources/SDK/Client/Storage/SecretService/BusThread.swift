#if os(Linux)
    internal import Foundation

    /// Work that holds up its thread, on a thread of its own: those that tasks share must never wait for a socket.
    enum BusThread {
        static func run<Value: Sendable>(
            _ work: @escaping @Sendable () throws(KeyringProblem) -> Value
        ) async throws(KeyringProblem) -> Value {
            let result: Result<Value, KeyringProblem> = await withCheckedContinuation { waiting in
                let thread = Thread {
                    do throws(KeyringProblem) {
                        waiting.resume(returning: .success(try work()))
                    } catch {
                        waiting.resume(returning: .failure(error))
                    }
                }
                thread.name = "keyturn-keyring"
                thread.start()
            }
            return try result.get()
        }
    }
#endif
