internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// A service that speaks the passkey service's wire: one request, and what its answer means.
struct PasskeyEndpoint: Sendable {
    let baseURL: String
    let key: PasskeyKey
    let transport: any HTTPTransport
    let ambient: Ambient

    init(baseURL: String, key: PasskeyKey, transport: any HTTPTransport, ambient: Ambient) {
        self.baseURL = String(baseURL.reversed().drop { $0 == "/" }.reversed())
        self.key = key
        self.transport = transport
        self.ambient = ambient
    }

    /// A success: the message, and what the service says beside it.
    struct Reply<Message: PasskeyMessage>: Sendable {
        let message: Message
        let warnings: [PasskeyServiceError]
    }

    /// Sends a request and reads its result.
    ///
    /// - Throws: `configuration.invalid`; `transport.unavailable`; `server.refused` with the service's own code and
    ///   message; `protocol.violation`. All but the first are caused by a ``PasskeyError``.
    func post<Message: PasskeyMessage>(
        _ route: PasskeyRoute, _ request: some PasskeyMessage, as type: Message.Type = Message.self
    ) async throws(AuthError) -> Reply<Message> {
        let (result, warnings) = try Self.read(try await send(route, request))
        do throws(PasskeyMessageProblem) {
            return Reply(message: try Message(json: result), warnings: warnings)
        } catch {
            throw Self.malformed(error.message, errors: warnings)
        }
    }

    private func send(_ route: PasskeyRoute, _ request: some PasskeyMessage) async throws(AuthError) -> HTTPResponse {
        guard URLText.isAcceptableEndpoint(baseURL), !baseURL.contains("?") else {
            throw AuthError(.misconfigured, "the service must be an https URL without query or fragment")
        }
        guard key.isWellFormed else {
            throw AuthError(
                .misconfigured, "publishable keys begin with pubkey_, secret keys with secret_; neither has spaces")
        }
        let start = ambient.uptime()
        do throws(AuthError) {
            return try await transport.send(
                HTTPRequest(
                    method: "POST", url: baseURL + route.path,
                    headers: [
                        ("Authorization", key.header), ("Accept", "application/json"),
                        ("Content-Type", "application/json"), ("X-SDK", Self.version),
                    ],
                    body: request.json.serialized, timeoutSeconds: Limits.passkeyRequestSeconds))
        } catch {
            guard error.code == .unavailable else {
                throw error.cause is CancellationError ? .taskCancelled : error
            }
            // Transports keep the time and do not say that it was over; a second less, for clocks in whole seconds.
            let isLate = ambient.uptime() - start >= Int64(Limits.passkeyRequestSeconds) - 1
            throw AuthError(
                .unavailable, isLate ? "the service took too long" : error.detail,
                cause: isLate ? PasskeyError(.timeout, .timeout) : PasskeyError(.networkError, .networkInterruption))
        }
    }

    /// Who asks, for the service's statistics.
    private static let version = "keyturn/1.0.0"

    /// What is in the envelope of a success.
    private static func read(
        _ response: HTTPResponse
    ) throws(AuthError) -> (result: JSONValue, warnings: [PasskeyServiceError]) {
        let limits = JSONValue.Limits(bytesMax: Limits.answerMaxBytes, depthMax: 32, membersMax: 4_096)
        let envelope: PasskeyEnvelope?
        let problem: PasskeyMessageProblem?
        do throws(PasskeyMessageProblem) {
            (envelope, problem) = (try PasskeyEnvelope(parsing: response.body, limits: limits), nil)
        } catch {
            (envelope, problem) = (nil, error)
        }
        if (200..<300).contains(response.status), let envelope, let result = envelope.result {
            return (result, envelope.errors)
        }
        let errors = envelope?.errors ?? []
        let answer = AuthError.ServerAnswer(
            status: response.status, code: Exchange.clean(errors.first?.code.rawValue, max: 128),
            description: Exchange.clean(errors.first?.message, max: 512),
            traceID: Exchange.clean(response.header("X-Request-ID"), max: 128),
            retryAfterSeconds: Exchange.retryAfter(response))
        switch response.status {
        case _ where errors.isEmpty && response.isIntercepted:
            let intercepted = AuthError.intercepted(answer)
            let isSuccess = (200..<300).contains(response.status)
            throw AuthError(
                intercepted.code, intercepted.detail,
                cause: PasskeyError(isSuccess ? .unexpected : .badRequest, .malformedResponse), server: answer)
        case 500...599:
            throw AuthError(
                .unavailable, "the service cannot answer now",
                cause: PasskeyError(.serverError, .serverError, errors: errors), server: answer)
        case 408, 425, 429:
            throw AuthError(
                .unavailable, "the service cannot answer now",
                cause: PasskeyError(.badRequest, .badRequest, errors: errors), server: answer)
        case _ where !errors.isEmpty:
            throw AuthError(
                .refused, "the service refused the request",
                cause: PasskeyError(.badRequest, .badRequest, errors: errors), server: answer)
        default:
            let isSuccess = (200..<300).contains(response.status)
            throw AuthError(
                .protocolViolation, problem?.message ?? "an answer that the protocol does not know",
                cause: PasskeyError(isSuccess ? .unexpected : .badRequest, .malformedResponse), server: answer)
        }
    }

    static func malformed(_ detail: String, errors: [PasskeyServiceError] = []) -> AuthError {
        AuthError(
            .protocolViolation, detail, cause: PasskeyError(.unexpected, .malformedResponse, errors: errors))
    }
}
