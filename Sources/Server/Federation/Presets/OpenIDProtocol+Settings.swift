public import Model
internal import SignIn

/// What an operator is told about a connection of OpenID Connect.
extension OpenIDProtocol {
    public func mistakes(in connection: Connection) -> [ConnectionMistake] { ConnectionCheck.all(connection) }

    public func issuer(of connection: Connection) -> String? {
        guard case .openID(let settings) = connection.settings else { return nil }
        return ProviderPreset.of(settings)?.issuer(settings) ?? settings.issuer
    }

    public func entries(for connection: Connection) -> [String] {
        ConnectionCheck.entries(connection, issuer: issuer)
    }
}
