internal import Model
internal import SignIn

extension Connection {
    /// Every address that this server asks.
    private var addresses: [String] {
        switch settings {
        case .openID(let settings):
            [settings.issuer, settings.parameters["host"]].compactMap(\.self) + settings.endpoints.values.sorted()
        case .saml(let settings): [settings.metadataURL].compactMap(\.self)
        case .ldap(let settings): [settings.url]
        }
    }

    /// Whether this server is sent to the same addresses.
    func asksOnly(addressesOf other: Connection) -> Bool { addresses == other.addresses }

    /// The member that holds the secret.
    var secretName: String {
        if case .ldap = settings { return "bind_password" }
        return "client_secret"
    }

    /// Whether a secret that is never shown would be sent to another server.
    func secretGoesElsewhere(than present: Connection) -> Bool {
        if case .ldap(let now) = settings, case .ldap(let before) = present.settings {
            return now.url != before.url && now.bindPassword == before.bindPassword
        }
        guard case .openID(let now) = settings, case .openID(let before) = present.settings,
            before.clientSecret != nil, now.clientSecret != nil
        else { return false }
        return now.issuer != before.issuer || now.preset != before.preset || now.endpoints != before.endpoints
            || now.parameters["host"] != before.parameters["host"]
    }
}
