internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// The client that exchanges a token.
struct ExchangeAsker: Sendable {
    /// The client that the new token is issued to.
    let client: Client
    /// Whether the client authenticated.
    let isAuthenticated: Bool
    /// Whether the token was issued to another client, and reached this one as its audience.
    let isAnother: Bool

    /// - Parameter client: the authenticated client; `nil`: the holder of the token, who gets only less.
    /// - Throws: `invalid_client` if the token's client is gone, or its profile wants it to authenticate;
    ///   `unauthorized_client` if the token is neither the client's own nor meant for it.
    init(_ client: Client?, of parent: PresentedAccessToken, clients: ClientDirectory) throws(OAuthProblem) {
        guard let asker = client ?? clients.client(parent.clientID) else {
            throw OAuthProblem(.invalidClient, "the subject token's client is gone")
        }
        guard client != nil || asker.profile != .fapi2 else {
            throw OAuthProblem(.invalidClient, "the subject token's client must authenticate")
        }
        self.client = asker
        isAuthenticated = client != nil && !asker.isPublic
        isAnother = asker.id != parent.clientID
        guard isAnother else { return }
        // A client must not use a token that was sent to another (RFC 8693 §5).
        guard isAuthenticated,
            parent.audience.contains(asker.id) || parent.audience.contains(where: asker.resources.contains)
        else {
            throw OAuthProblem(
                .unauthorizedClient, "the subject token was neither issued to the client nor is it meant for it")
        }
    }
}

/// Where an exchanged token may be used: at which services, and there only for which object.
///
/// `resource` names either. A known service (in the token's audience, in the project's resources, or as a resource of a
/// registered client) is a service; every other address is an object, so that a mistake in it restricts the token and
/// never widens it. `audience` names services only.
struct ExchangeTarget: Sendable {
    let audience: [String]
    private let object: String?

    /// - Parameter isLimited: whether the token may get no new services.
    /// - Throws: `invalid_target` if it is no absolute URI, for more than one object, or for a service that the token
    ///   cannot be exchanged for.
    init(
        _ form: FormParameters, parent: PresentedAccessToken, asker: ExchangeAsker, isLimited: Bool, project: Project,
        clients: ClientDirectory
    ) throws(OAuthProblem) {
        var services: [String] = []
        var objects: [String] = []
        let resources = form.values("resource")
        guard resources.count + form.values("audience").count <= Limits.resourcesMax else {
            throw OAuthProblem(.invalidTarget, "too many resources")
        }
        for uri in resources {
            guard RedirectURI.flaw(in: uri) == nil, uri.utf8.count <= Limits.resourceBytesMax else {
                throw OAuthProblem(.invalidTarget, "a resource is an absolute URI without a fragment")
            }
            let isKnown =
                parent.audience.contains(uri) || project.resources?.contains(uri) == true || clients.isResource(uri)
            if isKnown { services.append(uri) } else { objects.append(uri) }
        }
        if let link = form.single("box_shared_link") {
            objects.append(link)
        }
        guard objects.allSatisfy(Self.isObject) else {
            throw OAuthProblem(.invalidTarget, "an object has a web address, as plain as servers read it")
        }
        guard objects.count <= 1 else { throw OAuthProblem(.invalidTarget, "a token is for one object at most") }
        services += form.values("audience")
        for service in services {
            guard service.utf8.count <= Limits.resourceBytesMax,
                Self.isAllowed(
                    service, parent: parent, asker: asker, isLimited: isLimited, project: project, clients: clients)
            else {
                throw OAuthProblem(.invalidTarget, "the subject token cannot be exchanged for that service")
            }
        }
        audience = services.isEmpty ? Self.unasked(parent, asker) : Scope(names: services).names
        object = objects.first
    }

    /// Whether servers read an address as it is written: no steps that they would drop, no characters that they would
    /// decode.
    private static func isObject(_ uri: String) -> Bool {
        guard uri.utf8.count <= Limits.resourceBytesMax, RedirectURI.flaw(in: uri) == nil, let parts = URIParts(uri),
            parts.origin != nil, uri.hasPrefix(parts.scheme)
        else { return false }
        let steps = parts.path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        return !parts.path.contains("%") && !parts.path.contains(";")
            && steps.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    }

    /// Where the token is valid if the request names nothing: a recipient keeps only what was meant for it.
    private static func unasked(_ parent: PresentedAccessToken, _ asker: ExchangeAsker) -> [String] {
        guard asker.isAnother else { return parent.audience }
        return parent.audience.filter { $0 == asker.client.id || asker.client.resources.contains($0) }
    }

    /// A request with nothing but the token gets less of it; its client gets what it could have asked for at first,
    /// unless it named services then; a recipient may go on to a service that the operator named, and not to this
    /// server.
    private static func isAllowed(
        _ service: String, parent: PresentedAccessToken, asker: ExchangeAsker, isLimited: Bool, project: Project,
        clients: ClientDirectory
    ) -> Bool {
        let isNamed = clients.isResource(service) || project.resources?.contains(service) == true
        if asker.isAnother { return service != project.issuer && (isNamed || parent.audience.contains(service)) }
        if parent.audience.contains(service) { return true }
        guard asker.isAuthenticated, !isLimited else { return false }
        // RFC 8693 §2.2.2: no token for a service that this server does not know.
        return isNamed || clients.client(service) != nil
    }

    /// The objects that the new token is valid for; `nil`: it is not restricted.
    ///
    /// - Throws: `invalid_scope` if no scope is left; `invalid_target` for an object that the parent token is not valid
    ///   for.
    func restricted(_ scope: Scope, parent: PresentedAccessToken) throws(OAuthProblem) -> [RestrictedObject]? {
        guard let object else {
            guard let granted = parent.restrictedTo else { return nil }
            let kept = granted.filter { scope.contains($0.scope) }
            guard !kept.isEmpty else { throw OAuthProblem(.invalidScope, "nothing is left that the token would allow") }
            return kept
        }
        let wanted = scope.names.map { RestrictedObject(scope: $0, resource: object) }
        guard !wanted.isEmpty else {
            throw OAuthProblem(.invalidScope, "say with scope what the token allows with the object")
        }
        if let granted = parent.restrictedTo, !wanted.allSatisfy(granted.contains) {
            throw OAuthProblem(.invalidTarget, "the subject token is restricted to another object")
        }
        return wanted
    }
}
