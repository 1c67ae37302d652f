public import Foundation
public import KeyturnBase
public import KeyturnVerify

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension ServiceClient {
    /// Sends a request with an access token and this client's own headers.
    ///
    /// After a 401 it is sent once more with a new token; after other failures as ``RetryPolicy`` says. A redirect
    /// within one origin is followed with everything; one to another host is followed, if it is a `GET` or `HEAD`,
    /// without the token and without anything else that speaks for a user: of its headers only `Accept`,
    /// `Accept-Language`, `Range`, `If-Range` and `User-Agent` go along. From `https` to `http` none is followed.
    ///
    /// - Returns: The server's answer, whatever its status.
    /// - Throws: as ``accessToken(minimumSeconds:)``; `service.developer_token_refused`, after one request, when a
    ///   developer token is not good any more; `protocol.violation` for a redirect to plain `http`.
    public func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        var request = request
        try headers.add(to: &request)
        let response = try await retrying(AuthorizedTransport(self, over: transport)).send(request)
        return try await follow(response, of: request)
    }

    /// Sends a request of Foundation's, as ``send(_:)``.
    ///
    /// - Parameter request: The body as data, not as a stream. An `Authorization` it has is replaced. Its timeout is
    ///   cut to 1…600 seconds.
    public func fetch(_ request: URLRequest) async throws(AuthError) -> (Data, HTTPURLResponse) {
        let foundation = try FoundationRequest(request)
        return try foundation.answer(try await send(foundation.plain))
    }

    /// Calls the API: a path below ``ServiceConfiguration/apiURL``, JSON in both directions.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST`, `PUT`, `DELETE`, …
    ///   - path: Begins with a slash; a query may follow.
    ///   - body: What to send; `nil`: nothing.
    /// - Returns: The answer; `null` if it is empty.
    /// - Throws: `server.refused` for a status outside 200…299, with the service's code, message and request identifier
    ///   in `AuthError.server`; `transport.unavailable` for 429 and 5xx that did not pass; otherwise as ``send(_:)``.
    public func call(_ method: String, _ path: String, body: JSONValue? = nil) async throws(AuthError) -> JSONValue {
        guard path.hasPrefix("/") else { throw AuthError(.misconfigured, "a path begins with a slash") }
        var request = HTTPRequest(
            method: method, url: configuration.apiURL + path, headers: [("Accept", "application/json")],
            timeoutSeconds: configuration.timeoutSeconds)
        if let body {
            request.headers.append(("Content-Type", "application/json"))
            request.body = body.serialized
        }
        return try APIAnswer.read(try await send(request))
    }

    private func retrying(_ inner: any HTTPTransport) -> RetryingTransport {
        let endpoint = session.endpoint
        return RetryingTransport(
            policy: configuration.retry, ambient: endpoint.ambient, clock: endpoint.clock, pause: endpoint.pause,
            transport: inner)
    }

    private func follow(_ response: HTTPResponse, of request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        var (response, request) = (response, request)
        for _ in 0..<Limits.redirectsMax {
            guard let next = try Redirect.elsewhere(response, of: request) else { return response }
            request = next
            response = try await retrying(transport).send(request)
        }
        return response
    }
}

extension Redirect {
    private static let harmless: Set<String> = ["accept", "accept-language", "range", "if-range", "user-agent"]

    /// The request, without anything that speaks for a user, that `response` asks for at another origin, or asked for
    /// there at first; `nil` if it is no redirect, or must not be followed.
    ///
    /// - Throws: `protocol.violation` if it leads from `https` to anything else.
    static func elsewhere(_ response: HTTPResponse, of request: HTTPRequest) throws(AuthError) -> HTTPRequest? {
        guard [301, 302, 303, 307, 308].contains(response.status), ["GET", "HEAD"].contains(request.method),
            let location = response.header("Location"), let target = URLText.resolve(location, against: request.url)
        else { return nil }
        guard URLText.isPlain(request.url) || target.lowercased().hasPrefix("https:") else {
            throw AuthError(.protocolViolation, "the server redirects from https to something without protection")
        }
        return HTTPRequest(
            method: request.method, url: target,
            headers: request.headers.filter { harmless.contains($0.name.lowercased()) },
            timeoutSeconds: request.timeoutSeconds)
    }
}

/// What an API answered.
enum APIAnswer {
    /// The JSON in it, or why there is none.
    static func read(_ response: HTTPResponse) throws(AuthError) -> JSONValue {
        let limits = JSONValue.Limits(bytesMax: Limits.fetchedMaxBytes, depthMax: 64, membersMax: 1_000_000)
        let json = response.body.isEmpty ? .null : try? JSONValue(parsing: response.body, limits: limits)
        if (200..<300).contains(response.status) {
            guard json != nil || !response.isIntercepted else {
                throw .intercepted(.init(status: response.status))
            }
            guard let json else { throw AuthError(.protocolViolation, "the answer is not JSON") }
            return json
        }
        let code = json?["code"]?.stringValue ?? json?["error"]?.stringValue
        let message = json?["message"]?.stringValue ?? json?["error_description"]?.stringValue
        let requestID = json?["request_id"]?.stringValue ?? response.header("X-Request-ID")
        let answer = AuthError.ServerAnswer(
            status: response.status,
            code: Exchange.clean(code, max: 128) ?? AuthenticateHeader.error(in: response.header("WWW-Authenticate")),
            description: Exchange.clean(message, max: 512), traceID: Exchange.clean(requestID, max: 128),
            retryAfterSeconds: Exchange.retryAfter(response))
        switch response.status {
        case 408, 425, 429, 500...599: throw AuthError(.unavailable, "the service cannot answer now", server: answer)
        default: throw AuthError(.refused, "the service refused the request", server: answer)
        }
    }
}
