public import Model

/// What speaks to each kind of provider. A kind without one is not offered.
public struct ConnectionProtocols: Sendable {
    private let openID: (any ConnectionProtocol)?
    private let saml: (any ConnectionProtocol)?

    public init(openID: (any ConnectionProtocol)? = nil, saml: (any ConnectionProtocol)? = nil) {
        self.openID = openID
        self.saml = saml
    }

    /// What speaks to the provider of a connection; `nil`: its pages are not offered, as for a directory, which only
    /// checks passwords.
    public func of(_ connection: Connection) -> (any ConnectionProtocol)? {
        switch connection.settings {
        case .openID: openID
        case .saml: saml
        case .ldap: nil
        }
    }
}
