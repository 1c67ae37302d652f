public import KeyturnBase
public import KeyturnWire

/// What a token is exchanged for (RFC 8693 §2.1): less of the same.
public struct TokenRestriction: Sendable {
    /// What the lesser token allows; must be within what the token allows.
    public var scope: Scope
    /// The one object that it is for, by its address in the API, or where it is to be used (RFC 8707); `nil`:
    /// everything.
    public var resource: String?
    /// Box: the object that a shared link leads to.
    public var sharedLink: String?
    /// Where it is to be used, by logical name.
    public var audience: [String] = []
    /// The token of the actor; `nil`: no actor. Secret.
    public var actorToken: Secret?
    /// What ``actorToken`` is.
    public var actorTokenType: TokenTypeIdentifier = .accessToken
    /// What is wanted in detail (RFC 9396).
    public var authorizationDetails: AuthorizationDetails?

    /// Whether the application proves who it is; `nil`: where that brings something, because there is an actor or the
    /// token is for another audience, and the service takes it. A holder of a token may have less of it without a name.
    public var provesApplication: Bool?

    /// - Parameters:
    ///   - scope: What the lesser token allows.
    ///   - resource: The one object that it is for; `nil`: everything.
    ///   - sharedLink: Box: the object that a shared link leads to.
    public init(scope: Scope, resource: String? = nil, sharedLink: String? = nil) {
        self.scope = scope
        self.resource = resource
        self.sharedLink = sharedLink
    }

    func isAuthenticated(at configuration: ServiceConfiguration) -> Bool {
        provesApplication ?? (configuration.authenticatesExchange && (actorToken != nil || !audience.isEmpty))
    }

    func request(for token: String) -> TokenExchangeRequest {
        var request = TokenExchangeRequest(subjectToken: Secret(token))
        request.scope = scope.isEmpty ? nil : scope.text
        request.resource = resource.map { [$0] } ?? []
        request.audience = audience
        request.actorToken = actorToken
        request.actorTokenType = actorToken == nil ? nil : actorTokenType
        request.authorizationDetails = authorizationDetails?.text
        request.boxSharedLink = sharedLink
        return request
    }
}
