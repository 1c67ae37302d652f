public import KeyturnBase

/// An application at its service: its identifier, and how it proves that it is the one.
public struct ServiceApplication: Sendable {
    /// How the application proves who it is at the token endpoint.
    public enum Authentication: Sendable {
        /// Its secret, as a field of the form (`client_secret_post`, RFC 6749 §2.3.1): what Box documents.
        case secret(Secret)
        /// A statement signed with its key (`private_key_jwt`, RFC 7523 §2.2). Its audience is the issuer alone.
        case privateKeyJWT(AssertionKey)
        /// Nothing: it can keep no secret.
        case none
    }

    /// The identifier that the service gave it.
    public let clientID: String
    /// How it proves who it is.
    public let authentication: Authentication

    /// - Parameters:
    ///   - clientID: The identifier that the service gave it.
    ///   - authentication: How it proves who it is.
    public init(clientID: String, authentication: Authentication) {
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
