/// Waits between two looks.
protocol PollSleep: Sendable {
    /// - Returns: `false` if the calling task was cancelled meanwhile.
    func seconds(_ seconds: Int64) async -> Bool
}

struct ContinuousSleep: PollSleep {
    func seconds(_ seconds: Int64) async -> Bool {
        (try? await Task.sleep(for: .seconds(seconds))) != nil
    }
}
