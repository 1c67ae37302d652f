public import KeyturnBase

/// Hears what becomes of a flow. Every method has a default that does nothing.
@MainActor
public protocol FlowDelegate: AnyObject {
    /// The state changed; told before what follows from it.
    func flow(_ session: FlowSession, didChangeTo state: FlowState, from previous: FlowState)
    /// The page can be used: a view may be shown now.
    func flowDidBecomeReady(_ session: FlowSession)
    /// The user followed a link that leads away from the flow. The view stays where it is.
    ///
    /// - Parameters:
    ///   - session: The flow.
    ///   - url: Where the link leads.
    ///   - external: Whether the page wanted another window for it.
    func flow(_ session: FlowSession, didInterceptNavigationTo url: String, external: Bool)
    /// The container has the session.
    func flow(_ session: FlowSession, didFinishWith response: AuthenticationResponse)
    /// The flow ended without a session.
    func flow(_ session: FlowSession, didFailWith error: AuthError)
    /// The user gave up, or ``FlowSession/cancel()`` was called.
    func flowDidCancel(_ session: FlowSession)
}

extension FlowDelegate {
    /// Nothing.
    public func flow(_ session: FlowSession, didChangeTo state: FlowState, from previous: FlowState) {}
    /// Nothing.
    public func flowDidBecomeReady(_ session: FlowSession) {}
    /// Nothing.
    public func flow(_ session: FlowSession, didInterceptNavigationTo url: String, external: Bool) {}
    /// Nothing.
    public func flow(_ session: FlowSession, didFinishWith response: AuthenticationResponse) {}
    /// Nothing.
    public func flow(_ session: FlowSession, didFailWith error: AuthError) {}
    /// Nothing.
    public func flowDidCancel(_ session: FlowSession) {}
}

/// What happens in a flow.
public enum FlowEvent: Sendable {
    /// The page loads.
    case started
    /// The page can be used.
    case ready
    /// The user followed a link that leads away.
    case intercepted(url: String, external: Bool)
    /// The container has the session.
    case finished(AuthenticationResponse)
    /// The flow ended without a session.
    case failed(AuthError)
    /// The user gave up, or the app did.
    case cancelled
}
