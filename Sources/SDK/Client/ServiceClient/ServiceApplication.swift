internal import KeyturnBase

/// An application at its service: its identifier, and how it proves that it is the one.
public struct ServiceApplication: Sendable {
    /// The identifier that the service gave it.
    public let clientID: String
    /// How it proves who it is.
    public let authentication: ClientAuthentication

    /// - Parameters:
    ///   - clientID: The identifier that the service gave it.
    ///   - authentication: How it proves who it is.
    public init(clientID: String, authentication: ClientAuthentication) {
        self.clientID = clientID
        self.authentication = authentication
    }

    /// An application with a secret.
    public init(clientID: String, clientSecret: String) {
        self.init(clientID: clientID, authentication: .secret(Secret(clientSecret)))
    }
}

extension ServiceApplication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the application alone.
    public var description: String { "ServiceApplication(\(clientID))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
