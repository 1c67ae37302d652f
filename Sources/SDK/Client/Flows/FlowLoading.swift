internal import KeyturnBase

/// Why a page did not load.
public enum FlowLoadFailure: Hashable, Sendable {
    /// The server answered with this status.
    case status(Int)
    /// It did not answer.
    case transport
    /// Another page took its place.
    case superseded
}

/// Whether the first page of a flow is asked for again.
struct FlowLoading: Hashable, Sendable {
    enum Verdict: Hashable, Sendable {
        case retry(afterMilliseconds: Int64)
        case giveUp
        /// It was no failure.
        case ignore
    }

    private let startedAt: Int64
    private var attempts: Int64 = 0
    private var hasLoaded = false

    /// - Parameter now: In milliseconds of a clock that never goes back.
    init(at now: Int64) {
        startedAt = now
    }

    mutating func loaded() { hasLoaded = true }

    /// A server that is busy and a network that is away are asked again, a little later each time. A refusal stays one,
    /// and a later page cannot be loaded again: its form may have been taken.
    mutating func failed(_ failure: FlowLoadFailure, at now: Int64) -> Verdict {
        switch failure {
        case .superseded: return .ignore
        case .status(let status) where status < 500: return .giveUp
        case .status, .transport: break
        }
        attempts += 1
        let pause = Limits.flowRetryMilliseconds * attempts
        guard !hasLoaded, now - startedAt + pause <= Limits.flowLoadMilliseconds else { return .giveUp }
        return .retry(afterMilliseconds: pause)
    }
}
