internal import KeyturnBase
internal import KeyturnVerify

/// Waits for so long; throws when the task is cancelled.
typealias RetryPause = @Sendable (Duration) async throws -> Void

/// Makes requests to an API again, as a policy says.
struct RetryingTransport: HTTPTransport {
    let policy: RetryPolicy
    let ambient: Ambient
    let clock: ServiceClock
    let pause: RetryPause
    let transport: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        var count = RetryCount()
        while true {
            let outcome = await outcome(of: request)
            guard isWorthwhile(outcome, of: request) else { return try outcome.get() }
            var seconds: Int?
            if case .success(let response) = outcome {
                seconds = RetryAfter.seconds(response, at: clock.now())
            }
            var isUnanswered = false
            if case .failure = outcome { isUnanswered = true }
            let wait = count.pause(policy, isUnanswered: isUnanswered, retryAfterSeconds: seconds, ambient: ambient)
            guard let wait else { return try outcome.get() }
            guard (try? await pause(wait)) != nil else { throw .taskCancelled }
        }
    }

    private func outcome(of request: HTTPRequest) async -> Result<HTTPResponse, AuthError> {
        do throws(AuthError) {
            return .success(try await transport.send(request))
        } catch {
            return .failure(error)
        }
    }

    private func isWorthwhile(_ outcome: Result<HTTPResponse, AuthError>, of request: HTTPRequest) -> Bool {
        let mayRepeat =
            policy.repeatsUnsafeMethods || ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"].contains(request.method)
        switch outcome {
        // With an answer in it, the error is about a token, and its request was made again as often as it may be.
        case .failure(let error): return error.code == .unavailable && error.server == nil && mayRepeat
        case .success(let response):
            switch response.status {
            case 429, 503: return true
            case 202: return request.method == "GET" && response.header("Retry-After") != nil
            case 500...599: return mayRepeat
            default: return false
            }
        }
    }
}

/// How long a service wants to be left alone (RFC 9110 §10.2.3).
enum RetryAfter {
    /// In seconds; `nil` if it does not say. A date counts from the answer's own, or without one from `now`.
    static func seconds(_ response: HTTPResponse, at now: UnixTime) -> Int? {
        if let seconds = Exchange.retryAfter(response) { return seconds }
        guard let until = response.header("Retry-After").flatMap(HTTPDate.parse) else { return nil }
        return Int(min(max(0, until.seconds(since: now)), Limits.retryAfterMaxSeconds))
    }
}
