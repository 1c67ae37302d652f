public import KeyturnBase
internal import KeyturnWire
internal import Model

/// The subject of a service's own token.
enum ServiceSubject: Hashable, Sendable {
    /// The client itself; in a tenant: its own account there.
    case client(tenant: String?)
    /// A user for whom the client may act, without their doing.
    case user(UserID, epoch: Int64)
}

/// The content of a token that is made from another one.
struct ExchangedToken: Sendable {
    let parent: PresentedAccessToken
    /// The client that it is issued to.
    let clientID: String
    let scope: Scope
    let audience: [String]
    let restrictedTo: [RestrictedObject]?
    let authorizationDetails: AuthorizationDetails?
    let actor: JSONValue?
    /// The actor's token: this one ends with it, as with its parent.
    let actorToken: PresentedAccessToken?
    let keyThumbprint: String?
    let expiresAt: UnixTime

    /// The claims repeated from its parent, and the grants of actors.
    var carried: [String: JSONValue] {
        guard let grant = actorToken?.grantID else { return parent.carried }
        var carried = parent.carried
        carried["acg"] = .array((parent.actorGrants + [grant]).map { .string($0.text) })
        return carried
    }
}

extension PresentedAccessToken {
    /// What introspection says beside the claims that every token has (RFC 7662 §2.2, RFC 8693 §4.1, RFC 9396 §9.2).
    public func writeDetails(into json: inout JSONWriter) {
        for name in ["auth_time", "acr", "amr", "sid", "tenant"] {
            if let value = carried[name] { json.member(named: name, value) }
        }
        if let actor { json.member("act", actor) }
        if let restrictedTo { json.member("restricted_to", .array(restrictedTo.map(\.json))) }
        if let authorizationDetails { json.member("authorization_details", .array(authorizationDetails.json)) }
    }
}

/// Tokens without a sign-in and without a grant.
extension TokenIssuer {
    /// The access token of a client that acts for itself or for a user. A client's subject can never be a user's
    /// (RFC 9700 §4.15).
    func accessToken(
        _ subject: ServiceSubject, clientID: String, scope: Scope, resources: [String], keyThumbprint: String?,
        at now: UnixTime
    ) throws(OAuthProblem) -> String {
        let client = Self.subject(ofClient: clientID)
        let payload = JSONWriter.object { json in
            json.member("iss", project.issuer(ofRealm: realm))
            switch subject {
            case .client(let tenant):
                json.member("sub", client)
                json.member("tenant", tenant)
            case .user(let user, let epoch):
                json.member("sub", user.rawValue)
                json.member("uep", epoch)
                json.member("act", .object(["sub": .string(client)]))
            }
            writeAudience(resources, withServer: false, into: &json)
            json.member("exp", (now + project.accessTokenSeconds).rawValue)
            json.member("iat", now.rawValue)
            json.member("jti", identifiers.next())
            json.member("client_id", clientID)
            json.member("scope", scope.text)
            Self.writeConfirmation(keyThumbprint, into: &json)
        }
        return try sign(payload, accessTokenAlgorithm, at: now) { $0.accessToken }
    }

    /// The access token in exchange for another one (RFC 8693 §2.2).
    func accessToken(_ token: ExchangedToken, at now: UnixTime) throws(OAuthProblem) -> String {
        let payload = JSONWriter.object { json in
            json.member("iss", project.issuer(ofRealm: realm))
            json.member("sub", token.parent.subject)
            json.member(
                "aud",
                token.audience.count == 1 ? .string(token.audience[0]) : .array(token.audience.map(JSONValue.string)))
            json.member("exp", token.expiresAt.rawValue)
            json.member("iat", now.rawValue)
            json.member("jti", identifiers.next())
            json.member("client_id", token.clientID)
            json.member("scope", token.scope.text)
            for (name, value) in token.carried.sorted(by: { $0.key < $1.key }) {
                json.member(named: name, value)
            }
            json.member(
                "anc", token.parent.ancestors + [token.actorToken?.tokenID, token.parent.tokenID].compactMap(\.self))
            json.member("anx", token.parent.exchanges + 1)
            json.member("anp", token.parent.firstClientID)
            if let actor = token.actor { json.member("act", actor) }
            if let objects = token.restrictedTo { json.member("restricted_to", .array(objects.map(\.json))) }
            if let details = token.authorizationDetails { json.member("authorization_details", .array(details.json)) }
            Self.writeConfirmation(token.keyThumbprint, into: &json)
        }
        return try sign(payload, accessTokenAlgorithm, at: now) { $0.accessToken }
    }
}
