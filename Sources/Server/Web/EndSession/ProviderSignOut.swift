internal import Identity
internal import KeyturnBase
internal import Model
internal import SignIn

/// The provider's part of a sign-out here: its user is told to it through the browser, after the session here is over. What
/// goes wrong on that way changes nothing here.
struct ProviderSignOut: Sendable {
    let checks: Checks
    let gate: FederationGate

    private var services: IdentityServices { checks.services }

    /// Where a session began, read while it lives; `nil`: at no provider that is told.
    func origin(of session: BrowserSession) async throws -> FederatedOrigin? {
        guard let origin = try await services.stores.identities.origin(of: session.id, at: services.ambient.now()),
            let connection = gate.connection(origin.key.connectionID),
            gate.protocols.of(connection)?.singleLogout != nil
        else { return nil }
        return origin
    }

    /// The way to the provider; `nil`: it wants to know nothing, or cannot be told.
    ///
    /// - Parameters:
    ///   - origin: where the session began, which is over.
    ///   - sealed: what follows when the user comes back.
    ///   - browser: the mark of the browser.
    ///   - afterForm: whether this answers a form.
    ///   - look: of the page.
    func depart(
        _ origin: FederatedOrigin, then sealed: String, in browser: String, afterForm: Bool, look: PageLook
    ) async throws -> Response? {
        guard let connection = gate.connection(origin.key.connectionID),
            let speaker = gate.protocols.of(connection)?.singleLogout
        else { return nil }
        let states = services.federation.states
        let handle = states.makeHandle()
        let departure: ConnectionDeparture
        do throws(ConnectionProblem) {
            guard let made = try speaker.leave(origin, handle: handle, at: connection) else { return nil }
            departure = made
        } catch {
            services.auditLog.recordOnce(
                AuditEvent(
                    .identityRefused, at: services.ambient.now(), userID: origin.session.userID, reason: error.code,
                    target: connection.id))
            return nil
        }
        try await states.keep(
            FederationState(
                connectionID: connection.id, purpose: .signedOut(sealed), browser: Cookies.digest(of: browser),
                protocolState: departure.protocolState, startedAt: services.ambient.now()),
            under: handle)
        return gate.lead(departure.way, to: connection, afterForm: afterForm, look: look)
    }
}
