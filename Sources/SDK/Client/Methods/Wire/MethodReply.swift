internal import KeyturnBase
internal import KeyturnVerify
public import KeyturnWire

/// A successful answer on the methods' wire.
struct MethodReply: Sendable {
    let json: JSONValue
    private let cookies: String?

    /// Checks an answer.
    ///
    /// Only a 4xx with an `errorCode` is the service's own refusal. What gateways, captive portals and overloaded
    /// servers say is `transport.unavailable` or `protocol.violation`, and never a verdict.
    init(_ response: HTTPResponse) throws(AuthError) {
        let limits = JSONValue.Limits(bytesMax: Limits.answerMaxBytes, depthMax: 32, membersMax: 4_096)
        let parsed = try? JSONValue(parsing: response.body, limits: limits)
        guard (200..<300).contains(response.status) else { throw Self.refusal(response, parsed ?? .null) }
        guard let json = response.body.isEmpty ? .object([:]) : parsed else {
            guard !response.isIntercepted else { throw .intercepted(.init(status: response.status)) }
            throw AuthError(.protocolViolation, "the answer is not JSON", server: .init(status: response.status))
        }
        self.json = json
        cookies = response.header("Set-Cookie")
    }

    /// Reads the answer.
    func message<Message: MethodMessage>(_ type: Message.Type = Message.self) throws(AuthError) -> Message {
        do throws(MethodProblem) {
            return try Message(json: json)
        } catch {
            throw AuthError(.protocolViolation, "the answer is not what was asked for", cause: error)
        }
    }

    /// Reads an answer that is an array, or nothing.
    func messages<Message: MethodMessage>(_ type: Message.Type = Message.self) throws(AuthError) -> [Message] {
        guard json != [:] else { return [] }
        guard let values = json.arrayValue else {
            throw AuthError(.protocolViolation, "the answer is not an array")
        }
        do throws(MethodProblem) {
            var messages: [Message] = []
            for value in values { messages.append(try Message(json: value)) }
            return messages
        } catch {
            throw AuthError(.protocolViolation, "the answer is not what was asked for", cause: error)
        }
    }

    /// Reads a session, whose tokens may be in cookies instead.
    ///
    /// - Parameter now: By the service's clock.
    func session(at now: UnixTime) throws(AuthError) -> SessionAnswer {
        var answer = try message(SessionAnswer.self)
        let names = (answer.sessionCookieName, answer.cookieName)
        if answer.sessionJWT == nil {
            answer.sessionJWT = cookie(names.0.isEmpty ? "DS" : names.0, at: now)
        }
        if answer.refreshJWT == nil {
            answer.refreshJWT = cookie(names.1.isEmpty ? "DSR" : names.1, at: now)
        }
        return answer
    }

    /// Of the tokens in cookies called `name` the newest that has not expired, or else the newest.
    private func cookie(_ name: String, at now: UnixTime) -> Secret? {
        // A joined header has commas between cookies and within dates; a token has none, nor has a date a token's name.
        let tokens = (cookies ?? "").split(separator: ",").compactMap { part -> SessionToken? in
            let pair = part.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, pair[0].drop(while: { $0 == " " }).lowercased() == name.lowercased() else {
                return nil
            }
            return SessionToken(Secret(String(pair[1])))
        }
        let good = tokens.filter { !$0.isExpired(at: now) }
        return (good.isEmpty ? tokens : good).max { $0.issuedAt < $1.issuedAt }?.secret
    }
}

extension MethodReply {
    private static func refusal(_ response: HTTPResponse, _ json: JSONValue) -> AuthError {
        let problem = MethodProblem(json: json, status: response.status)
        let words = [problem?.description, problem?.message].compactMap(\.self).filter { !$0.isEmpty }
        let answer = AuthError.ServerAnswer(
            status: response.status, code: Exchange.clean(problem?.code.rawValue, max: 128),
            description: Exchange.clean(words.joined(separator: ": "), max: 512),
            traceID: Exchange.clean(response.header("cf-ray") ?? response.header("X-Request-ID"), max: 128),
            retryAfterSeconds: Exchange.retryAfter(response))
        switch response.status {
        case _ where problem == nil && response.isIntercepted: return .intercepted(answer)
        case 403 where problem?.missing != nil:
            return AuthError(
                .interactionRequired, "the server wants more first: \(problem?.missing?.rawValue ?? "")",
                cause: problem,
                server: answer)
        case 408, 425, 429, 500...599:
            return AuthError(.unavailable, "the server cannot answer now", server: answer)
        case 400..<500 where problem?.code == MethodProblem.rateLimited(retryAfterSeconds: 1).code:
            return AuthError(.unavailable, "the server cannot answer now", server: answer)
        case 400..<500 where problem != nil || response.status == 401 || response.status == 403:
            return AuthError(.refused, "the server refused the request", server: answer)
        default:
            return AuthError(.protocolViolation, "an answer that the protocol does not know", server: answer)
        }
    }
}

extension AuthError {
    /// What the server wants first, on the methods' wire; `nil`: nothing would turn the refusal into a yes.
    ///
    /// With ``MissingStep/secondFactor`` the sign-in goes on with ``TOTPMethod/verify(loginId:code:options:)`` or
    /// ``PasskeyMethods/signIn(loginId:options:authenticators:)``; with ``MissingStep/secondFactorSetup`` with
    /// ``TOTPMethod/update(loginId:refreshJwt:)`` and then ``TOTPMethod/verify(loginId:code:options:)``.
    public var missingStep: MissingStep? { (cause as? MethodProblem)?.missing }

    /// The server's code in the words of the methods' wire; `nil` if it was not the server that refused.
    ///
    /// ```swift
    /// catch where error.methodCode == MethodProblem.wrongCode.code { … }
    /// ```
    public var methodCode: MethodProblem.Code? {
        server?.code.map { MethodProblem.Code(rawValue: $0) }
    }
}
