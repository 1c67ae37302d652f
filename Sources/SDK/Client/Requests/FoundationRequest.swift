internal import Foundation
internal import KeyturnBase
internal import KeyturnVerify

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request of Foundation's as a plain one, and the way back for its answer.
struct FoundationRequest {
    let plain: HTTPRequest
    private let url: URL

    /// - Throws: `configuration.invalid` for a request without a URL, or with a body that can be read only once.
    init(_ request: URLRequest) throws(AuthError) {
        guard let url = request.url else { throw AuthError(.misconfigured, "the request has no URL") }
        guard request.httpBodyStream == nil else {
            throw AuthError(.misconfigured, "a body that streams cannot be sent twice; pass it as data")
        }
        let headers = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
        plain = HTTPRequest(
            method: request.httpMethod ?? "GET", url: URLText.withoutFragment(url.absoluteString),
            headers: headers.map { ($0.key, $0.value) }, body: request.httpBody.map { Array($0) },
            timeoutSeconds: Int(min(600, max(1, request.timeoutInterval))))
        self.url = url
    }

    func answer(_ response: HTTPResponse) throws(AuthError) -> (Data, HTTPURLResponse) {
        let fields = Dictionary(response.headers.map { ($0.name, $0.value) }) { $0 + ", " + $1 }
        guard
            let native = HTTPURLResponse(
                url: url, statusCode: response.status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { throw AuthError(.protocolViolation, "the answer is not HTTP") }
        return (Data(response.body), native)
    }
}
