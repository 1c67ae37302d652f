internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// What was granted once, cut down to what the operator allows at this moment: the scopes of the client, and the
/// resources and the types of details of the project. A grant keeps what it has: what is allowed again counts again.
struct CurrentPermissions: Sendable {
    let project: Project
    let clients: ClientDirectory

    static let nothingLeft = OAuthProblem(
        .invalidScope, "nothing of what was granted is allowed any more: the client's scope was changed")
    static let nowhereLeft = OAuthProblem(
        .invalidTarget, "none of the granted resources is allowed any more: the project's resources were changed")

    /// The part of a grant that is allowed now.
    ///
    /// - Throws: `invalid_scope` or `invalid_target` if nothing is left of what there was.
    func current(_ granted: GrantedAccess, of client: Client) throws(OAuthProblem) -> GrantedAccess {
        let scope = granted.scope.intersection(client.permittedScope)
        let resources = granted.resources.filter(project.allows(resource:))
        let details = granted.details.flatMap { current($0, of: client) }
        guard !scope.isEmpty || details != nil || granted.isEmpty else { throw Self.nothingLeft }
        guard !resources.isEmpty || granted.resources.isEmpty else { throw Self.nowhereLeft }
        return GrantedAccess(clientID: granted.clientID, scope: scope, resources: resources, details: details)
    }

    /// A token as it counts now.
    ///
    /// - Throws: `invalid_scope` or `invalid_target` if nothing is left of what there was.
    func current(_ token: PresentedAccessToken) throws(OAuthProblem) -> PresentedAccessToken {
        guard let first = clients.client(token.firstClientID), let client = clients.client(token.clientID) else {
            return token
        }
        // A recipient has a registered scope, or none.
        let allowed =
            client.id == first.id
            ? first.permittedScope : first.permittedScope.intersection(client.scope ?? .none)
        var current = token
        current.scope = token.scope.intersection(allowed)
        current.audience = token.audience.filter(isAudience)
        current.restrictedTo = token.restrictedTo?.filter { allowed.contains($0.scope) }
        current.authorizationDetails = token.authorizationDetails.flatMap { self.current($0, of: first) }
        let wasEmpty = token.scope.isEmpty && token.authorizationDetails == nil
        guard !current.scope.isEmpty || current.authorizationDetails != nil || wasEmpty,
            current.restrictedTo?.isEmpty != true
        else { throw Self.nothingLeft }
        guard !current.audience.isEmpty || token.audience.isEmpty else { throw Self.nowhereLeft }
        return current
    }

    private func current(_ details: AuthorizationDetails, of client: Client) -> AuthorizationDetails? {
        let types = project.detailTypes(of: client)
        let elements = details.elements.filter { $0["type"]?.stringValue.map(types.contains) ?? false }
        return elements.isEmpty ? nil : AuthorizationDetails(elements: elements)
    }

    /// This server, a resource that the project allows, or a service that a token may be exchanged for.
    private func isAudience(_ audience: String) -> Bool {
        project.isIssuer(audience) || project.allows(resource: audience) || clients.isResource(audience)
            || clients.client(audience) != nil
    }
}

/// What a grant allows: it never changes.
struct GrantedAccess: Hashable, Sendable {
    let clientID: String
    let scope: Scope
    let resources: [String]
    let details: AuthorizationDetails?

    init(clientID: String, scope: Scope, resources: [String], details: AuthorizationDetails?) {
        self.clientID = clientID
        self.scope = scope
        self.resources = resources
        self.details = details
    }

    init(_ grant: Grant) {
        self.init(
            clientID: grant.clientID, scope: grant.scope, resources: grant.resources,
            details: grant.authorizationDetails)
    }

    /// Whether it names nothing.
    var isEmpty: Bool { scope.isEmpty && details == nil }
}
