internal import KeyturnWire

extension Service {
    /// Descope, or a server that speaks its wire.
    ///
    /// The session that DescopeKit left on this device is taken over, see ``Service/importing(_:)``.
    ///
    /// - Parameters:
    ///   - projectID: The project whose users sign in.
    ///   - baseURL: Where the service is; `nil`: the vendor's, in the region that a long project identifier names.
    ///     Plain `http` only for loopback addresses.
    ///   - passkeyOrigin: The web origin that this app stands for, where neither a browser nor the system decides it;
    ///     `nil`: the relying party's.
    public static func descope(
        projectID: String, baseURL: String? = nil, passkeyOrigin: String? = nil
    ) -> Service {
        Service(
            kind: .descope, issuer: baseURL ?? descopeURL(of: projectID), clientID: projectID, projectID: projectID,
            clientAuthentication: .none, defaultScope: .none, binding: .none, passkeyOrigin: passkeyOrigin,
            legacySession: .descopeKit(projectID: projectID), wire: Wire(alwaysSendsIssuer: false))
    }

    /// Identifiers of 32 characters and more carry their region after the first character.
    static func descopeURL(of projectID: String) -> String {
        guard projectID.count >= 32 else { return "https://api.descope.com" }
        return "https://api.\(projectID.dropFirst().prefix(4)).descope.com"
    }
}
