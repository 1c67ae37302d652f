public import KeyturnBase
public import KeyturnVerify
internal import KeyturnWire

/// Whatever can authorize a request: a signed-in person, or a service of its own.
public protocol TokenSource: Sendable {
    /// An access token valid for at least `minimumSeconds`.
    func accessToken(minimumSeconds: Int64) async throws(AuthError) -> String

    /// An access token other than `refused`, which a server has just turned down although it had not run out.
    func replacement(for refused: String) async throws(AuthError) -> String

    /// The header fields that present `token` with one request: `Authorization`, and a proof where the token wants
    /// one (RFC 6750 §2.1, RFC 9449 §7.1).
    func authorization(
        presenting token: String, method: String, url: String
    ) async throws(AuthError) -> [(name: String, value: String)]

    /// Hears of every answer to a request that was authorized.
    ///
    /// - Returns: whether the same request with the same token may succeed now, because the server has handed out a
    ///   nonce that the proof must hold (RFC 9449 §9).
    func mayRetry(after response: HTTPResponse, from url: String) -> Bool
}

extension TokenSource {
    /// A bearer token.
    public func authorization(
        presenting token: String, method: String, url: String
    ) async throws(AuthError) -> [(name: String, value: String)] {
        [("Authorization", "\(TokenType.bearer) \(token)")]
    }

    /// Never.
    public func mayRetry(after response: HTTPResponse, from url: String) -> Bool { false }
}

extension Keyturn: TokenSource {
    /// An access token other than `refused`, renewed once however many callers were refused the same.
    ///
    /// - Throws: as ``accessToken(minimumSeconds:)``.
    public func replacement(for refused: String) async throws(AuthError) -> String {
        try await keeper.replacement(for: refused)
    }

    /// The header fields that present `token` with one request to a backend: `Authorization`, and a DPoP proof if the
    /// session's access tokens are bound to this device.
    ///
    /// - Throws: `session.device_key_lost` if the key is gone; `store.unavailable` if it cannot be read now.
    public func authorization(
        presenting token: String, method: String, url: String
    ) async throws(AuthError) -> [(name: String, value: String)] {
        let thumbprint = try await keeper.keyThumbprint(of: token)
        return try await provider.authorization(token, boundTo: thumbprint, method: method, url: url)
    }

    /// Remembers the nonce of a server that wants one in its proofs.
    public func mayRetry(after response: HTTPResponse, from url: String) -> Bool {
        let isNew = provider.proofs.note(response, from: url)
        let error = AuthenticateHeader.error(in: response.header("WWW-Authenticate"))
        return isNew && error == OAuthProblem.Code.useDPoPNonce.rawValue
    }
}

/// Adds the token to each request, and once more after a 401 (RFC 6750 §2.1, §3.1).
///
/// The token goes to the host the request names and to no other: redirects are followed within one origin alone, and
/// any other is returned as it came.
public struct AuthorizedTransport: HTTPTransport {
    private let source: any TokenSource
    private let transport: any HTTPTransport

    /// A transport that authorizes with `source` and sends over `transport`.
    public init(_ source: any TokenSource, over transport: any HTTPTransport) {
        self.source = source
        self.transport = transport
    }

    /// Sends `request`, replacing its `Authorization`.
    ///
    /// - Throws: what the token's source and the transport throw; `session.ended` when a 401 turned out to be the
    ///   session's end, `service.developer_token_refused` when it was a developer token's. A 401 that no new token
    ///   changes is an answer.
    public func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        let token = try await source.accessToken(minimumSeconds: 10)
        let response = try await follow(request, token: token)
        guard response.status == 401, isAboutTheToken(response) else { return response }
        let replacement: String
        do throws(AuthError) {
            replacement = try await source.replacement(for: token)
        } catch {
            switch error.code {
            case .sessionEnded, .signedOut, .cancelled, .developerTokenRefused, .clientDestroyed: throw error
            default: return response
            }
        }
        return try await follow(request, token: replacement)
    }

    /// A stronger sign-in is nothing that a new token of this session brings (RFC 9470 §3).
    private func isAboutTheToken(_ response: HTTPResponse) -> Bool {
        AuthenticateHeader.error(in: response.header("WWW-Authenticate")) != StepUpChallenge.error
    }

    private func follow(_ request: HTTPRequest, token: String) async throws(AuthError) -> HTTPResponse {
        var request = request
        var response = try await present(token, with: request)
        for _ in 0..<Limits.redirectsMax {
            guard let next = Redirect.following(response, of: request) else { break }
            request = next
            response = try await present(token, with: request)
        }
        return response
    }

    private func present(_ token: String, with request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        let response = try await transport.send(authorized(request, token))
        guard source.mayRetry(after: response, from: request.url), response.status == 401 else { return response }
        let again = try await transport.send(authorized(request, token))
        _ = source.mayRetry(after: again, from: request.url)
        return again
    }

    private func authorized(_ request: HTTPRequest, _ token: String) async throws(AuthError) -> HTTPRequest {
        var request = request
        request.headers.removeAll { ["authorization", "dpop"].contains($0.name.lowercased()) }
        request.headers += try await source.authorization(presenting: token, method: request.method, url: request.url)
        return request
    }
}

/// Redirects within one origin (RFC 9110 §15.4).
enum Redirect {
    /// The request that `response` asks for; `nil` if it is no redirect, leads to another origin, or would repeat
    /// something that must not be repeated.
    static func following(_ response: HTTPResponse, of request: HTTPRequest) -> HTTPRequest? {
        guard let location = response.header("Location"), let target = URLText.resolve(location, against: request.url),
            let origin = URLText.origin(request.url), URLText.origin(target) == origin
        else { return nil }
        var next = request
        next.url = target
        let isSafe = request.method == "GET" || request.method == "HEAD"
        switch response.status {
        case 301, 302: return isSafe ? next : nil
        case 307, 308: return next
        case 303:
            next.method = request.method == "HEAD" ? "HEAD" : "GET"
            next.body = nil
            next.headers.removeAll { $0.name.lowercased().hasPrefix("content-") }
            return next
        default: return nil
        }
    }
}
