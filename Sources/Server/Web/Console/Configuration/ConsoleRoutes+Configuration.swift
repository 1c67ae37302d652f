internal import Identity
internal import Model
internal import SignIn

extension ConsoleSection {
    static let configuration: ConsoleSection = .init(
        path: "/admin/configuration", title: { $0[ConsoleConfigurationStrings.self].title },
        routes: { routes in [routes.page(.configuration, routes.showConfiguration)] })
}

/// `/admin/configuration`: what the configuration file decides. It is shown here, and changed in the file alone.
extension ConsoleRoutes {
    @Sendable func showConfiguration(_ opened: ConsoleRequest) async throws -> Response {
        let methods = services.methods
        let page = ConsoleConfigurationPage(
            visitor: frame.visitor(opened), project: services.project,
            methods: SignInMethods.types.filter { methods.offers($0) }.map { $0.name },
            hasRegistration: services.registrar != nil, hasKeyService: services.keyService != nil,
            relyingParties: methods.passkeys.parties.all.map(\.id),
            languages: frame.presenter.languages.all.map(\.code), isShared: services.stores.isShared)
        return frame.page(page, opened)
    }
}
