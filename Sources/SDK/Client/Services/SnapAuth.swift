internal import KeyturnWire

extension Service {
    /// SnapAuth, or a server that speaks its wire: passkeys that end with a token for the app's own backend. It signs
    /// no user in, so a container of it never has a session.
    ///
    /// - Parameters:
    ///   - publishableKey: `pubkey_…`; it selects the relying party.
    ///   - host: Where the service is; `nil`: the vendor's. Plain `http` only for loopback addresses.
    ///   - passkeyOrigin: The web origin that this app stands for, where neither a browser nor the system decides it;
    ///     `nil`: the relying party's.
    public static func snapAuth(
        publishableKey: String, host: String? = nil, passkeyOrigin: String? = nil
    ) -> Service {
        Service(
            kind: .snapAuth, issuer: host ?? snapAuthHost, clientID: publishableKey, projectID: nil,
            clientAuthentication: .none, defaultScope: .none, binding: .none, publishableKey: publishableKey,
            passkeyOrigin: passkeyOrigin, wire: Wire(alwaysSendsIssuer: false))
    }
    static let snapAuthHost = "https://api.snapauth.app"
}
