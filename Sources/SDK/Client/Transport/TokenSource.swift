public import KeyturnBase
public import KeyturnVerify

/// Whatever can authorize a request: a signed-in person, or a service of its own.
public protocol TokenSource: Sendable {
    /// An access token valid for at least `minimumSeconds`.
    func accessToken(minimumSeconds: Int64) async throws(AuthError) -> String

    /// An access token other than `refused`, which a server has just turned down although it had not run out.
    func replacement(for refused: String) async throws(AuthError) -> String
}

extension Keyturn: TokenSource {
    /// An access token other than `refused`, renewed once however many callers were refused the same.
    ///
    /// - Throws: as ``accessToken(minimumSeconds:)``.
    public func replacement(for refused: String) async throws(AuthError) -> String {
        try await keeper.replacement(for: refused)
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
    ///   session's end. A 401 that no new token changes is an answer.
    public func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        let token = try await source.accessToken(minimumSeconds: 10)
        let response = try await follow(request, token: token)
        guard response.status == 401, isAboutTheToken(response) else { return response }
        let replacement: String
        do throws(AuthError) {
            replacement = try await source.replacement(for: token)
        } catch {
            switch error.code {
            case .sessionEnded, .signedOut, .cancelled: throw error
            default: return response
            }
        }
        return try await follow(request, token: replacement)
    }

    /// A stronger sign-in is nothing that a new token of this session brings (RFC 9470 §3).
    private func isAboutTheToken(_ response: HTTPResponse) -> Bool {
        AuthenticateHeader.error(in: response.header("WWW-Authenticate")) != "insufficient_user_authentication"
    }

    private func follow(_ request: HTTPRequest, token: String) async throws(AuthError) -> HTTPResponse {
        var request = request
        request.headers.removeAll { $0.name.lowercased() == "authorization" }
        request.headers.append(("Authorization", "Bearer " + token))
        var response = try await transport.send(request)
        for _ in 0..<Limits.redirectsMax {
            guard let next = Redirect.following(response, of: request) else { break }
            request = next
            response = try await transport.send(request)
        }
        return response
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
