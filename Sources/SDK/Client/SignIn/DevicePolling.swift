internal import KeyturnBase
internal import KeyturnWire

/// When to ask the next time, and what an answer means (RFC 8628 §3.5): a value without I/O.
struct DevicePolling: Sendable {
    private(set) var intervalSeconds: Int64
    /// By the clock that never goes back.
    private let deadline: Int64
    /// Failures of the network since the last answer.
    private var failures = 0
    /// What the last failure asked for.
    private var retryAfterSeconds: Int64 = 0
    /// Whether the question at the very end has been put.
    private var isLast = false

    init(_ device: DeviceAuthorizationResponse, startedAt start: Int64) {
        let asked = device.intervalSeconds ?? Limits.deviceIntervalSeconds
        intervalSeconds = min(max(1, asked), Limits.deviceIntervalSecondsMax)
        deadline = start + device.expiresInSeconds
    }

    /// How long to wait before the next question. The last one comes when the code ends: the user may have decided in
    /// the last second.
    mutating func pause(at now: Int64) -> Int64 {
        // Doubled with each failure, but so that a lost answer is asked for again while it can still be had.
        let patient = min(intervalSeconds << min(failures, 4), max(intervalSeconds, Limits.deviceRetrySecondsMax))
        let pause = max(patient, retryAfterSeconds)
        let left = deadline - now
        isLast = pause >= left
        return isLast ? max(1, left) : pause
    }

    /// What to tell the person before the next question.
    ///
    /// - Throws: what ended the sign-in.
    mutating func next(after error: AuthError, at now: Int64) throws(AuthError) -> DeviceSignInProgress {
        if let code = error.server?.code.map(OAuthProblem.Code.init(rawValue:)) {
            switch code {
            case .authorizationPending:
                heard()
                guard !isLast else { throw Self.expired(error) }
                return .waiting(secondsLeft: max(0, deadline - now))
            case .slowDown:
                heard()
                guard !isLast else { throw Self.expired(error) }
                intervalSeconds = min(
                    intervalSeconds + Limits.deviceSlowDownSeconds, Limits.deviceIntervalSecondsMax)
                return .slowedDown(intervalSeconds: intervalSeconds)
            case .accessDenied, Self.authorizationDeclined:
                throw AuthError(.cancelled, "the person refused", cause: error, server: error.server)
            case .expiredToken: throw Self.expired(error)
            default: break
            }
        }
        // What a captive portal says is no answer of the service either.
        guard error.code == .unavailable || error.code == .protocolViolation, !isLast else { throw error }
        failures += 1
        retryAfterSeconds = Int64(error.server?.retryAfterSeconds ?? 0)
        return .unreachable(error)
    }

    /// Microsoft's word for `access_denied`.
    private static let authorizationDeclined = OAuthProblem.Code(rawValue: "authorization_declined")

    private mutating func heard() {
        failures = 0
        retryAfterSeconds = 0
    }

    private static func expired(_ error: AuthError) -> AuthError {
        AuthError(.deviceCodeExpired, "the user did not let this device in in time", cause: error, server: error.server)
    }
}
