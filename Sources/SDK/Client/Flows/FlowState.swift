/// Where a flow in a view of the app stands.
public enum FlowState: String, Hashable, Sendable, CaseIterable {
    /// Nothing was loaded yet.
    case initial
    /// The page loads.
    case started
    /// The page can be used.
    case ready
    /// The container has the session.
    case finished
    /// The flow ended without a session.
    case failed
    /// The user gave up, or the app did.
    case cancelled

    /// Whether nothing follows.
    public var isOver: Bool {
        switch self {
        case .initial, .started, .ready: false
        case .finished, .failed, .cancelled: true
        }
    }
}

/// The states of a flow. A flow without screens can end before it was ready; what comes after an end changes nothing.
struct FlowMachine: Hashable, Sendable {
    enum Event: Hashable, Sendable, CaseIterable {
        case started, becameReady, finished, failed, cancelled
    }

    private(set) var state = FlowState.initial

    /// - Returns: Whether the state changed.
    mutating func apply(_ event: Event) -> Bool {
        switch (state, event) {
        case (.initial, .started): state = .started
        case (.started, .becameReady): state = .ready
        case (.started, .finished), (.ready, .finished): state = .finished
        case (.started, .failed), (.ready, .failed): state = .failed
        case (.initial, .cancelled), (.started, .cancelled), (.ready, .cancelled): state = .cancelled
        default: return false
        }
        return true
    }
}
