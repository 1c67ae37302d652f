public import Foundation
public import KeyturnBase
internal import KeyturnVerify

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension Keyturn {
    /// Sends a request with the session's access token.
    ///
    /// Many callers cause one renewal. After a 401 the request is sent once more with a new token. The token goes to
    /// the request's own host and to no other; a redirect elsewhere is returned, not followed.
    ///
    /// - Parameter request: An `https` URL, or `http` on a loopback address. The body as data, not as a stream. An
    ///   `Authorization` it has is replaced. Its timeout is cut to 1…600 seconds.
    /// - Returns: The server's answer, whatever its status; at most 64 MiB.
    /// - Throws: as ``accessToken(minimumSeconds:)``; `transport.unavailable`; `configuration.invalid`.
    public func fetch(_ request: URLRequest) async throws(AuthError) -> (Data, HTTPURLResponse) {
        guard let url = request.url else { throw AuthError(.misconfigured, "the request has no URL") }
        guard request.httpBodyStream == nil else {
            throw AuthError(.misconfigured, "a body that streams cannot be sent twice; pass it as data")
        }
        let headers = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        let plain = HTTPRequest(
            method: request.httpMethod ?? "GET", url: URLText.withoutFragment(url.absoluteString),
            headers: headers.map { ($0.key, $0.value) }, body: request.httpBody.map { Array($0) },
            timeoutSeconds: Int(min(600, max(1, request.timeoutInterval))))
        let response = try await AuthorizedTransport(self, over: fetching).send(plain)
        let fields = Dictionary(response.headers.map { ($0.name, $0.value) }) { $0 + ", " + $1 }
        guard
            let native = HTTPURLResponse(
                url: url, statusCode: response.status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { throw AuthError(.protocolViolation, "the answer is not HTTP") }
        return (Data(response.body), native)
    }
}
