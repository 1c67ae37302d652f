public import KeyturnBase
internal import KeyturnWire

/// How a client proves who it is at the token endpoint (OpenID Connect Core §9, RFC 6749 §2.3).
public enum ClientAuthentication: Sendable {
    /// Its secret, the way the service wants it (RFC 6749 §2.3.1). ``ServiceClient`` sends it as a field of the form
    /// (`client_secret_post`): what Box documents.
    case secret(Secret)
    /// A statement signed with its key (`private_key_jwt`, RFC 7523 §2.2), new for each request. Its audience is the
    /// issuer alone, so that no other server can use it; at a provider with many tenants, which has no issuer of its
    /// own, the token endpoint.
    case privateKeyJWT(AssertionKey)
    /// Nothing: it can keep no secret.
    case none

    /// Whether the client proves nothing: a public client (RFC 6749 §2.1).
    var isPublic: Bool {
        if case .none = self { true } else { false }
    }

    /// A client with a secret; a public one if there is none.
    static func secret(orNone secret: String?) -> ClientAuthentication {
        secret.map { .secret(Secret($0)) } ?? .none
    }

    /// Whether the service found the client's signed statement out of time: it can be made anew by the service's clock.
    ///
    /// - Parameters:
    ///   - error: What came of the request.
    ///   - dated: When the statement was made, by `clock`.
    ///   - clock: The service's, after its answer.
    func isOutOfTime(_ error: AuthError, dated: UnixTime, by clock: ServiceClock) -> Bool {
        guard case .privateKeyJWT = self, error.code == .refused,
            error.server?.code == OAuthProblem.Code.invalidClient.rawValue
        else { return false }
        return ServiceAssertion.isOutOfTime(error, dated: dated, by: clock)
    }
}

extension ClientAuthentication: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the method alone.
    public var description: String {
        switch self {
        case .secret: "ClientAuthentication(secret)"
        case .privateKeyJWT(let key): "ClientAuthentication(\(key.keyID))"
        case .none: "ClientAuthentication(none)"
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Service {
    /// The same service, whose client proves who it is with a signed statement (`private_key_jwt`, RFC 7523 §2.2), in
    /// place of a secret.
    ///
    /// With a Keyturn server and ``Binding/allTokens`` this is a client of the FAPI 2.0 Security Profile: it hands its
    /// requests in beforehand and binds its tokens. For programs that can keep a key of their own, such as tools,
    /// backends and devices that were given one; the same key in every copy of an app proves nothing.
    ///
    /// ```swift
    /// let key = try AssertionKey(keyID: "device-7", pem: pem)
    /// let auth = Keyturn(.keyturn(issuer: issuer, clientID: "desk", binding: .allTokens).authenticating(with: key))
    /// ```
    ///
    /// - Parameter key: Whose public half the client registered (`jwks`).
    public func authenticating(with key: AssertionKey) -> Service {
        var service = self
        service.clientAuthentication = .privateKeyJWT(key)
        return service
    }
}
