public import KeyturnBase

/// Carries one HTTP exchange. The only way in which the libraries reach a network.
///
/// ``URLSessionTransport`` is the default. Write another to pin certificates, to go through a proxy, or to answer
/// from a table in a test. An implementation must
/// - not follow redirects, keep cookies or cache;
/// - refuse what ``HTTPRequest/checkedURL(allowInsecureRequests:)`` refuses;
/// - bound the response's size and honour ``HTTPRequest/timeoutSeconds``.
public protocol HTTPTransport: Sendable {
    /// Sends `request` and returns whatever the server answered; every status is an answer, not an error.
    ///
    /// - Throws: `transport.unavailable` if there was no answer; `protocol.violation` if it was too large or not
    ///   HTTP; `configuration.invalid` for a URL that may not be used; `task.cancelled` if the calling task was
    ///   cancelled. Nothing of the request is in the error, because requests carry secrets.
    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse
}
