internal import Authority
internal import Model

/// A tenant: what it is called, how its users sign in, and the tokens of its directory.
struct ConsoleTenantPage: ConsolePage {
    struct Token: Sendable {
        let id: String
        let name: String
        let madeSecondsAgo: Int
        /// `nil`: never.
        let usedSecondsAgo: Int?
        /// `nil`: it is good until it is revoked.
        let endsInSeconds: Int?
    }

    enum Notice: String, Sendable, CaseIterable {
        case created, saved, revoked
    }

    static let path = "/admin/tenants/tenant"
    static let template = PageTemplate.consoleTenant
    static let section = ConsoleSection.tenants
    static let name = "admin-tenant"
    let visitor: ConsoleVisitor
    let form: PageForm
    let tenant: Tenant
    let secondsAgo: Int
    /// The names of its own roles.
    let roles: [String]
    let connections: [(id: String, name: String)]
    let tokens: [Token]
    /// Of a token that was just made.
    var secret: String?
    var problem: String?
    var notice: Notice?

    func title(_ strings: Strings) -> String { tenant.name }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleTenantStrings.self]
        let console = strings[ConsoleStrings.self]
        var values: [String: Any] = [
            "heading": tenant.name, "text": text, "mayChange": visitor.may(.operator), "save": console.save,
            "back": ConsoleSection.tenants.path, "backText": strings[ConsoleTenantsStrings.self].title,
            "id": tenant.id, "name": tenant.name, "domains": tenant.selfProvisioningDomains.joined(separator: ", "),
            "domainsShown": tenant.selfProvisioningDomains.isEmpty
                ? console.none : tenant.selfProvisioningDomains.joined(separator: ", "),
            "isRequired": tenant.requiresSingleSignOn,
            "required": tenant.requiresSingleSignOn ? console.yes : console.no,
            "exclusions": tenant.singleSignOnExclusions, "since": strings.time.since(secondsAgo),
            "roles": roles, "hasRoles": !roles.isEmpty, "none": console.none,
            "users": ConsoleMiddleware.address("/admin/users", ["tenant": tenant.id]),
            "connections": connections.map { connection in
                [
                    "uri": ConsoleMiddleware.address(ConsoleConnectionPage.path, ["id": connection.id]),
                    "name": connection.name,
                ]
            },
            "hasConnections": !connections.isEmpty, "hasTokens": !tokens.isEmpty,
            "tokens": tokens.map { row($0, text, strings) }, "sure": text.sure(tenant.id),
            "actionsTitle": console.actions,
        ]
        values["secret"] = secret
        values["problem"] = problem
        if let notice { values["notice"] = text.notice(notice) }
        return form.values(values)
    }

    private func row(_ token: Token, _ text: ConsoleTenantStrings, _ strings: Strings) -> [String: Any] {
        [
            "token": token.id, "tokenName": token.name.isEmpty ? token.id : token.name,
            "made": strings.time.since(token.madeSecondsAgo),
            "used": token.usedSecondsAgo.map(strings.time.since) ?? text.never,
            "ends": token.endsInSeconds.map { $0 > 0 ? strings[ConsoleStrings.self].duration($0) : text.ended }
                ?? text.neverEnds,
        ]
    }
}
