/// Why a request about a stream of security events is refused.
public enum SignalProblem: Error, Hashable, Sendable {
    /// The request cannot be read, or demands what this server does not do.
    case invalid(String)
    /// The client has no such stream.
    case unknown
    /// The client has as many streams as it may have.
    case tooMany
    /// Verification events are asked for too often.
    case tooSoon(retryAfterSeconds: Int64)
}
