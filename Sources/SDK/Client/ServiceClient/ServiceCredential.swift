public import KeyturnBase
public import KeyturnWire

/// Where a ``ServiceClient`` has its tokens from.
public struct ServiceCredential: Sendable {
    /// Makes a token when one is needed, somewhere else. Gets the identifier that the credential was made with.
    public typealias Delegate = @Sendable (_ uniqueID: String) async throws -> DelegatedToken

    let kind: Kind

    enum Kind: Sendable {
        case developerToken(Secret)
        case clientCredentials(subject: BoxSubject?, scope: Scope?, resource: [String])
        case assertion(AssertionKey, subject: BoxSubject, scope: Scope?, resource: [String])
        case delegated(uniqueID: String, Delegate)
        case tokens(uniqueID: String, given: ServiceTokens?)
        case session(Keyturn)
        case exchanged(ServiceSession, TokenRestriction)
    }

    /// A token for trying things out, from the service's console: lives for an hour, and cannot be renewed.
    public static func developerToken(_ token: String) -> ServiceCredential {
        ServiceCredential(kind: .developerToken(Secret(token)))
    }

    /// The application's own right (RFC 6749 §4.4).
    ///
    /// - Parameters:
    ///   - subject: For whom: the application's own account in an enterprise, or a person's; `nil`: the application
    ///     itself.
    ///   - scope: What to ask for; `nil`: what the service gives.
    ///   - resource: Where the token is to be used (RFC 8707 §2).
    public static func clientCredentials(
        subject: BoxSubject? = nil, scope: Scope? = nil, resource: [String] = []
    ) -> ServiceCredential {
        ServiceCredential(kind: .clientCredentials(subject: subject, scope: scope, resource: resource))
    }

    /// A statement about whom the token is for, signed with the application's key (RFC 7523 §2.1).
    ///
    /// - Parameters:
    ///   - key: The application's key.
    ///   - subject: For whom.
    ///   - scope: What to ask for; `nil`: what the service gives.
    ///   - resource: Where the token is to be used (RFC 8707 §2).
    public static func assertion(
        _ key: AssertionKey, subject: BoxSubject, scope: Scope? = nil, resource: [String] = []
    ) -> ServiceCredential {
        ServiceCredential(kind: .assertion(key, subject: subject, scope: scope, resource: resource))
    }

    /// Tokens that another program makes, which holds the key that must not be here.
    ///
    /// - Parameters:
    ///   - uniqueID: Anything that tells one of the app's users from another. Stored tokens are kept by it.
    ///   - delegate: Asks that program. Called once however many requests wait; what it throws becomes the cause of
    ///     `service.delegate_failed`, unless it is an `AuthError`.
    public static func delegated(uniqueID: String, _ delegate: @escaping Delegate) -> ServiceCredential {
        ServiceCredential(kind: .delegated(uniqueID: uniqueID, delegate))
    }

    /// A person who signed in: the session of a container. It renews and stores by itself.
    public static func threeLegged(_ session: Keyturn) -> ServiceCredential {
        ServiceCredential(kind: .session(session))
    }

    /// A person who gave access, by tokens that ``ServiceAuthorization`` brought. The client renews and stores them.
    ///
    /// - Parameters:
    ///   - uniqueID: Anything that tells one person from another; the store is asked by it.
    ///   - tokens: What the sign-in brought; it takes the place of what is stored. `nil`: what is stored goes on.
    public static func threeLegged(uniqueID: String, tokens: ServiceTokens? = nil) -> ServiceCredential {
        ServiceCredential(kind: .tokens(uniqueID: uniqueID, given: tokens))
    }
}

/// A token that another program made.
public struct DelegatedToken: Sendable {
    /// The token itself.
    public let accessToken: Secret
    /// How long it is good for, in seconds; `nil`: it is not known, and the token is used until a server refuses it.
    public let expiresInSeconds: Int64?

    /// - Parameters:
    ///   - accessToken: The token itself.
    ///   - expiresInSeconds: How long it is good for; `nil`: it is not known.
    public init(accessToken: String, expiresInSeconds: Int64?) {
        self.accessToken = Secret(accessToken)
        self.expiresInSeconds = expiresInSeconds
    }
}

extension ServiceCredential {
    /// Whose tokens these are, for the store: different for whatever makes tokens differ. `nil`: they are not stored.
    func storageName(at configuration: ServiceConfiguration, of application: ServiceApplication?) -> String? {
        let own: [String]
        switch kind {
        case .developerToken, .session, .exchanged: return nil
        case .clientCredentials(let subject, let scope, let resource):
            own = ["client", subject?.type.rawValue ?? "", subject?.id ?? "", scope?.text ?? ""] + resource
        case .assertion(_, let subject, let scope, let resource):
            own = ["assertion", subject.type.rawValue, subject.id, scope?.text ?? ""] + resource
        case .delegated(let uniqueID, _): own = ["delegated", uniqueID]
        case .tokens(let uniqueID, _): own = ["person", uniqueID]
        }
        let parts = ["service", configuration.tokenURL, application?.clientID ?? ""] + own
        return parts.map { FormParameters.percentEncode($0) }.joined(separator: "|")
    }
}

extension ServiceCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing.
    public var description: String { "ServiceCredential" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
