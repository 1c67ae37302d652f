public import KeyturnBase

/// Shows the service's pages to a person and brings back the callback.
///
/// Two steps, because a redirect URI on the loopback interface has no port before a socket listens there.
public protocol BrowserAgent: Sendable {
    /// Makes ready to receive callbacks at `redirectURI`.
    ///
    /// - Throws: `configuration.invalid` for a redirect URI that this agent cannot receive; `transport.unavailable`
    ///   if it cannot listen now.
    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession

    /// Shows a page that leads nowhere, until the person has closed it or as long as the agent can tell. Closing it is
    /// no error.
    ///
    /// - Throws: As ``prepare(redirectURI:)``; `sign_in.cancelled` with its cause if the calling task is cancelled.
    func show(_ url: String) async throws(AuthError)
}

extension BrowserAgent {
    /// Waits for a callback that never comes, and takes the person's closing for the end.
    public func show(_ url: String) async throws(AuthError) {
        let webSession = try await prepare(redirectURI: "nocallback://settings/closed")
        do throws(AuthError) {
            _ = try await webSession.open(url, state: "")
        } catch {
            await webSession.close()
            guard error.code == .cancelled, !error.isTaskCancelled else { throw error }
            return
        }
        await webSession.close()
    }
}

/// One person's way to the service's pages and back.
public protocol WebAuthenticationSession: Sendable {
    /// The redirect URI to send: the one asked for, with the port filled in where one had to be chosen.
    var redirectURI: String { get }

    /// Shows `url` and waits for the callback.
    ///
    /// - Parameters:
    ///   - url: The authorization request.
    ///   - state: The `state` in it. Whatever arrives with another one did not come from this session; an agent that
    ///     others can reach ignores it and keeps waiting.
    /// - Returns: The URL that the browser was sent to, query included.
    /// - Throws: `sign_in.cancelled` if the person gives up or the time is over; the same, with a `CancellationError`
    ///   as its cause, if the calling task is cancelled.
    func open(_ url: String, state: String) async throws(AuthError) -> String

    /// Stops listening. Harmless after ``open(_:state:)`` has returned.
    func close() async
}
