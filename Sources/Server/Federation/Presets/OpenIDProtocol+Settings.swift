public import Model
internal import SignIn

/// What an operator is told about a connection of OpenID Connect.
extension OpenIDProtocol {
    public func mistakes(in connection: Connection) -> [ConnectionMistake] { ConnectionCheck.all(connection) }

    public func entries(for connection: Connection) -> [String] {
        ConnectionCheck.entries(connection, issuer: issuer)
    }
}
