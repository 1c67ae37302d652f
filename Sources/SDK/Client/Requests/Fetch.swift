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

    /// As ``fetch(_:)``; if the resource demands a fresher or a stronger sign-in (RFC 9470), the app has the user sign in
    /// again, and the request is sent once more.
    ///
    /// ```swift
    /// let (data, response) = try await auth.fetch(request) { challenge in
    ///     try await auth.reauthenticate(challenge.options(redirectURI: "myapp://callback"))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - request: As in ``fetch(_:)``.
    ///   - stepUp: Has the user sign in again. Called once at most; what it throws is thrown.
    /// - Returns: The server's answer, whatever its status: also a second demand.
    /// - Throws: as ``fetch(_:)``; as `stepUp`.
    public func fetch<Ignored>(
        _ request: URLRequest, stepUp: (StepUpChallenge) async throws -> Ignored
    ) async throws -> (Data, HTTPURLResponse) {
        let foundation = try FoundationRequest(request)
        let transport = AuthorizedTransport(self, over: fetching)
        let response = try await transport.send(foundation.plain)
        guard response.status == 401, let challenge = StepUpChallenge(response.header("WWW-Authenticate")) else {
            return try foundation.answer(response)
        }
        let refused = try await accessToken(minimumSeconds: 0)
        _ = try await stepUp(challenge)
        // That token does not say how the user has signed in since.
        _ = try await replacement(for: refused)
        return try foundation.answer(try await transport.send(foundation.plain))
    }
}
