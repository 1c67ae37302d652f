public import Model

/// What speaks to each kind of provider. A kind without one is not offered.
public struct ConnectionProtocols: Sendable {
    private let openID: (any ConnectionProtocol)?
    private let saml: (any ConnectionProtocol)?
    private let directoryMistakes: @Sendable (LDAPConnectionSettings) -> [ConnectionMistake]

    /// - Parameters:
    ///   - openID: speaks to providers of OpenID Connect and OAuth.
    ///   - saml: speaks to providers of SAML.
    ///   - directoryMistakes: what is wrong with the settings of a directory.
    public init(
        openID: (any ConnectionProtocol)? = nil, saml: (any ConnectionProtocol)? = nil,
        directoryMistakes: @escaping @Sendable (LDAPConnectionSettings) -> [ConnectionMistake] = { _ in [] }
    ) {
        self.openID = openID
        self.saml = saml
        self.directoryMistakes = directoryMistakes
    }

    /// What is wrong with a connection's own settings.
    public func mistakes(in connection: Connection) -> [ConnectionMistake] {
        if case .ldap(let settings) = connection.settings { return directoryMistakes(settings) }
        return of(connection)?.mistakes(in: connection) ?? []
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
