internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// One request to the service's own endpoints, and what its answer means.
enum Exchange {
    /// Fetches what an endpoint tells, and leaves the answer to the caller.
    ///
    /// - Parameter accept: The media types that the caller can read.
    static func get(
        _ url: String, headers: [(name: String, value: String)], accept: String, over transport: any HTTPTransport
    ) async throws(AuthError) -> HTTPResponse {
        let request = HTTPRequest(
            method: "GET", url: url, headers: headers + [("Accept", accept)], timeoutSeconds: Limits.requestSeconds)
        return try await transport.send(request)
    }

    /// Sends a form; the answer is a JSON object, or empty.
    static func post(
        _ form: FormParameters, to url: String, headers: [(name: String, value: String)], timeoutSeconds: Int,
        over transport: any HTTPTransport
    ) async throws(AuthError) -> JSONValue {
        try answer(await send(form, to: url, headers: headers, timeoutSeconds: timeoutSeconds, over: transport))
    }

    /// Sends a form, and leaves the answer to the caller.
    static func send(
        _ form: FormParameters, to url: String, headers: [(name: String, value: String)], timeoutSeconds: Int,
        over transport: any HTTPTransport
    ) async throws(AuthError) -> HTTPResponse {
        let usual = [("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded")]
        let request = HTTPRequest(
            method: "POST", url: url, headers: headers + usual, body: Array(form.encoded.utf8),
            timeoutSeconds: timeoutSeconds)
        return try await transport.send(request)
    }

    /// The JSON object of an answer, which may be empty, or why there is none.
    static func answer(_ response: HTTPResponse) throws(AuthError) -> JSONValue {
        try refuse(response)
        return response.body.isEmpty ? .object([:]) : try object(response)
    }

    private static func object(_ response: HTTPResponse) throws(AuthError) -> JSONValue {
        let limits = JSONValue.Limits(bytesMax: Limits.answerMaxBytes, depthMax: 32, membersMax: 2_048)
        // Some editors write the mark of UTF-8 first; a reader may skip it (RFC 8259 §8.1).
        let body = response.body.starts(with: [0xEF, 0xBB, 0xBF]) ? response.body.dropFirst(3) : response.body[...]
        guard let json = try? JSONValue(parsing: body, limits: limits), json.objectValue != nil else {
            guard !response.isIntercepted else { throw .intercepted(.init(status: response.status)) }
            throw AuthError(
                .protocolViolation, "the answer is not a JSON object", server: .init(status: response.status))
        }
        if ServerProblem.isRefusal(json), let problem = ServerProblem(json: json) {
            throw refusal(problem, server(response, problem))
        }
        return json
    }

    /// Throws what an unsuccessful answer means.
    ///
    /// Only a 4xx that carries an OAuth error, or a 401 or 403 that is no page for a browser, is the service's own
    /// refusal. What gateways, captive portals and overloaded servers say is `transport.unavailable` or
    /// `protocol.violation`, and never a verdict.
    static func refuse(_ response: HTTPResponse) throws(AuthError) {
        guard !(200..<300).contains(response.status) else { return }
        let problem = ServerProblem(answer: response)
        let answer = server(response, problem)
        switch response.status {
        case _ where problem == nil && response.isIntercepted: throw .intercepted(answer)
        case 408, 425, 429, 500...599:
            throw AuthError(.unavailable, "the server cannot answer now", server: answer)
        case 400..<500 where problem != nil || response.status == 401 || response.status == 403:
            throw refusal(problem, answer)
        default:
            throw AuthError(.protocolViolation, "an answer that the protocol does not know", server: answer)
        }
    }

    /// A refusal in the service's own words. Some of them say that it will pass.
    private static func refusal(_ problem: ServerProblem?, _ answer: AuthError.ServerAnswer) -> AuthError {
        guard let problem, passingCodes.contains(problem.code) else {
            return AuthError(.refused, "the server refused the request", server: answer)
        }
        return AuthError(.unavailable, "the server cannot answer now", server: answer)
    }

    /// The last two are Cognito's, with status 400.
    private static let passingCodes: Set<String> = [
        "temporarily_unavailable", "server_error", "slow_down", "TooManyRequestsException", "ThrottlingException",
    ]

    private static func server(_ response: HTTPResponse, _ problem: ServerProblem?) -> AuthError.ServerAnswer {
        AuthError.ServerAnswer(
            status: response.status, code: problem?.code, description: problem?.description,
            traceID: clean(response.header("X-Request-ID"), max: 128), retryAfterSeconds: retryAfter(response))
    }

    /// In either form of RFC 9110 §10.2.3. A date counts from the answer's own, so that no clock here matters.
    static func retryAfter(_ response: HTTPResponse) -> Int? {
        guard let text = response.header("Retry-After") else { return nil }
        var seconds = Int64(text)
        if let until = HTTPDate.parse(text), let now = response.header("Date").flatMap(HTTPDate.parse) {
            seconds = max(0, until.seconds(since: now))
        }
        guard let seconds, seconds >= 0 else { return nil }
        return Int(min(seconds, Limits.retryAfterMaxSeconds))
    }

    /// A server's words, fit for a log: without control characters, and not too many.
    static func clean(_ text: String?, max: Int) -> String? {
        guard let text else { return nil }
        let scalars = text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
        let kept = String(String.UnicodeScalarView(scalars.prefix(max)))
        return kept.isEmpty ? nil : kept
    }
}
