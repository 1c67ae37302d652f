public import KeyturnBase

/// One token for another: for less, for elsewhere, or for an actor of its subject (RFC 8693 §2.1).
public struct TokenExchangeRequest: Sendable {
    /// `subject_token`: on whose behalf the new token is.
    public var subjectToken: Secret
    /// `subject_token_type`.
    public var subjectTokenType: TokenTypeIdentifier
    /// Who acts; `nil`: the result is for its subject alone.
    public var actorToken: Secret?
    /// `actor_token_type`; `nil` without an actor's token.
    public var actorTokenType: TokenTypeIdentifier?
    /// What the result is to be; `nil`: an access token.
    public var requestedTokenType: TokenTypeIdentifier?
    /// Space-separated; `nil`: as much as the subject token allows.
    public var scope: String?
    /// Where the result is to be used (RFC 8707 §2), or the one object that it is for.
    public var resource: [String]
    /// Where the result is to be used, by logical names (`audience`, RFC 8693 §2.1).
    public var audience: [String]
    /// JSON, an array of objects (RFC 9396 §5).
    public var authorizationDetails: String?
    /// Box: the object that a shared link leads to.
    public var boxSharedLink: String?

    /// A request; set what else it asks for.
    public init(subjectToken: Secret, subjectTokenType: TokenTypeIdentifier = .accessToken) {
        self.subjectToken = subjectToken
        self.subjectTokenType = subjectTokenType
        resource = []
        audience = []
    }

    func append(to form: inout FormParameters) {
        form.append("subject_token", subjectToken.exposed())
        form.append("subject_token_type", subjectTokenType.rawValue)
        form.append("actor_token", actorToken?.exposed())
        form.append("actor_token_type", actorTokenType?.rawValue)
        form.append("requested_token_type", requestedTokenType?.rawValue)
        form.append("scope", scope)
        for uri in resource { form.append("resource", uri) }
        for name in audience { form.append("audience", name) }
        form.append("authorization_details", authorizationDetails)
        form.append("box_shared_link", boxSharedLink)
    }
}
