internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

extension SettingsSection {
    static let connections: SettingsSection = .init(
        path: Routes.settingsConnections, title: { $0[ConnectionsStrings.self].title },
        card: { overview, strings in
            Card(summary: strings[ConnectionsStrings.self].count(overview.summary.connections))
        },
        routes: { routes in
            let path = Routes.settingsConnections
            return [
                Route(
                    .get, path, routes.frame.signedInPage(path, of: .connections), isPage: true,
                    handler: routes.showConnections),
                Route(
                    .post, path, routes.frame.recentForm(path, of: .connections), isPage: true,
                    handler: routes.changeConnections),
            ]
        },
        isConfigured: { services in !services.connections.all.isEmpty })
}

/// `/settings/connections`: identities at providers, linked and unlinked.
extension SettingsRoutes {
    @Sendable func showConnections(_ opened: OpenedSettings) async throws -> Response {
        var problem: SettingsConnectionsPage.Problem?
        if let known = FederationProblem(word: opened.form.values("problem").first) {
            let name = opened.form.values("connection").first.flatMap {
                frame.services.connections.connection($0)?.name
            }
            problem = .provider(known, name: name ?? frame.services.project.name)
        }
        return try await connectionsPage(opened, problem)
    }

    private func connectionsPage(
        _ opened: OpenedSettings, _ problem: SettingsConnectionsPage.Problem?, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let services = frame.services
        let identities = try await services.stores.identities.identities(of: opened.owner.userID)
        let items = identities.map { identity in
            let connection = services.connections.connection(identity.key.connectionID)
            return SettingsConnectionsPage.Item(
                id: Self.name(of: identity.key),
                provider: connection.map { ProviderButton($0) } ?? ProviderButton(unknown: identity.key.connectionID),
                account: identity.email ?? identity.name, linkedSecondsAgo: frame.age(identity.linkedAt),
                usedSecondsAgo: frame.age(identity.usedAt))
        }
        let requested = requestedConnection(opened)
        let linked = Set(identities.map(\.key.connectionID))
        let tenants = Set(opened.account.memberships.tenants.keys)
        let linkable = services.connections.all.filter { connection in
            gate.connection(connection.id) != nil && connection.tenantID.map(tenants.contains) ?? true
                // An app that wants the account at a provider connected gets its answer also where it is already.
                && (requested.map { $0.isAbout(connection.id, by: .linkOAuth) } ?? !linked.contains(connection.id))
        }
        let shown = zip(identities, items).filter { identity, _ in
            requested.map { $0.isAbout(identity.key.connectionID, by: .unlinkOAuth) } ?? true
        }
        let page = SettingsConnectionsPage(
            form: frame.form(opened, requested), settingsUser: opened.settingsUser, items: shown.map(\.1),
            linkable: linkable.map { ProviderButton($0) }, problem: problem,
            isLinked: opened.done.map { $0 == "linked" }, isRequestedAction: requested != nil)
        return frame.page(page, opened, status: status)
    }

    /// The name of an identity in a form: nothing about the user at the provider.
    private static func name(of key: FederatedIdentity.Key) -> String {
        let text = [key.connectionID, key.issuer, key.subject].map { "\($0.utf8.count):\($0)" }.joined()
        return Base64URL.encode(SecretDigest(of: Secret(text)).bytes)
    }

    @Sendable func changeConnections(_ posted: RecentForm, _ request: Request, _ context: WebContext)
        async throws -> Response
    {
        let id = try posted.one("id") ?? ""
        if posted.action == "deny" {
            guard let requested = requestedConnection(posted.opened) else {
                return frame.done(nil, at: Routes.settingsConnections)
            }
            return try await frame.gaveUp(requested)
        }
        guard posted.owner.mayChangeFactors else {
            return frame.signIn(
                .connections, posted.opened.wish, again: posted.owner, withFactor: true,
                awaited: frame.awaited(posted.opened))
        }
        switch posted.action {
        case "unlink": return try await unlink(id, posted)
        case "link": return try await link(id, posted, request, context)
        default: return try await connectionsPage(posted.opened, nil)
        }
    }

    /// The action that an app waits for; `nil`: no app does.
    private func requestedConnection(_ opened: OpenedSettings) -> SettingsMiddleware.RequestedAction? {
        frame.requested(
            opened.form.values("transaction").first, opened, in: [SettingsAction.linkOAuth, .unlinkOAuth])
    }

    private func unlink(_ id: String, _ posted: RecentForm) async throws -> Response {
        let services = frame.services
        let identities = try await services.stores.identities.identities(of: posted.owner.userID)
        guard let identity = identities.first(where: { Self.name(of: $0.key) == id }) else {
            return frame.done(nil, at: Routes.settingsConnections)
        }
        let result = try await services.federation.unlink(identity.key, of: posted.owner, leaving: ways)
        guard result != .lastWay else {
            return try await connectionsPage(posted.opened, .lastWay, status: .unprocessableContent)
        }
        if let requested = requestedConnection(posted.opened),
            requested.isAbout(identity.key.connectionID, by: .unlinkOAuth)
        {
            return try await frame.done(requested)
        }
        return frame.done("unlinked", at: Routes.settingsConnections)
    }

    /// Leaves for the provider; the identity is linked when the same session comes back.
    private func link(_ id: String, _ posted: RecentForm, _ request: Request, _ context: WebContext) async throws
        -> Response
    {
        let tenants = posted.owner.account.memberships.tenants
        guard let connection = gate.connection(id), connection.tenantID.map({ tenants[$0] != nil }) ?? true else {
            return try await connectionsPage(
                posted.opened, .provider(.refusal(.connectionOff), name: frame.services.project.name),
                status: .unprocessableContent)
        }
        do {
            return try await gate.depart(
                to: connection,
                .link(
                    session: posted.owner.session.id.rawValue, awaited: requestedConnection(posted.opened)?.sealed),
                in: posted.form.browser, afterForm: true, request, context, look: posted.opened.look)
        } catch let problem as ConnectionProblem {
            return try await connectionsPage(
                posted.opened, .provider(.connection(problem.kind), name: connection.name),
                status: .unprocessableContent)
        }
    }
}

extension SettingsMiddleware.RequestedAction {
    /// Whether it is this action, for this connection.
    fileprivate func isAbout(_ connection: String, by action: SettingsAction) -> Bool {
        transaction.settingsAction == action && transaction.providerAlias == connection
    }
}
