public import Foundation
public import KeyturnBase

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
        let foundation = try FoundationRequest(request)
        return try foundation.answer(try await AuthorizedTransport(self, over: fetching).send(foundation.plain))
    }
}
