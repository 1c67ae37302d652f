internal import Account
internal import Model

/// What the role operator changes about a user.
struct ConsoleUserChangePage: ConsolePage {
    enum Notice: String, Sendable, CaseIterable {
        case profileSaved, loginIDAdded, loginIDRemoved, rolesSaved, tenantAdded, tenantRemoved
    }

    /// A tenant of the user with the roles that there are.
    struct Membership: Sendable {
        let tenant: String
        let name: String
        let roles: [Role]
    }

    /// A role, and whether the user has it.
    struct Role: Sendable {
        let name: String
        let isHeld: Bool
    }

    static let template = PageTemplate.consoleUserChange
    static let name = "admin-user-change"
    static let section = ConsoleSection.users
    let visitor: ConsoleVisitor
    let form: PageForm
    let subject: ConsoleUserSubject
    let profile: ManagedUsers.Profile
    /// Those of the project.
    let roles: [Role]
    let memberships: [Membership]
    /// The tenants that the user is not in; `nil`: there are too many for a menu.
    let otherTenants: [(id: String, name: String)]?
    /// Whether the operator has the permission to act as users.
    let mayImpersonate: Bool
    /// The login ID that was typed.
    var typed = ""
    var problem: String?
    var notice: Notice?

    private var account: Account { subject.account }

    func title(_ strings: Strings) -> String { account.shownName }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleUserChangeStrings.self]
        let console = strings[ConsoleStrings.self]
        let id = account.user.id.rawValue
        var values: [String: Any] = [
            "heading": text.title(account.shownName), "text": text, "user": strings[ConsoleUserStrings.self],
            "users": strings[ConsoleUsersStrings.self], "id": id, "save": console.save,
            "list": Self.section.path, "listTitle": strings[ConsoleUsersStrings.self].title,
            "back": ConsoleMiddleware.address(ConsoleUserPaths.user, ["id": id]), "name": account.shownName,
            "displayName": profile.name, "givenName": profile.givenName, "familyName": profile.familyName,
            "email": profile.email, "phone": profile.phone, "typed": typed,
            "loginIDs": loginIDs(strings), "roles": roles.enumerated().map { Self.role($1, "role-\($0)") },
            "hasRoles": !roles.isEmpty, "memberships": memberships.enumerated().map { membership($1, $0, text) },
            "hasTenantMenu": otherTenants?.isEmpty == false, "hasTenantField": otherTenants == nil,
            "otherTenants": (otherTenants ?? []).map { ["id": $0.id, "name": $0.name] },
            "mayEnd": !subject.isOwn, "deleteSure": text.deleteSure(confirmation),
            "mayImpersonate": mayImpersonate && !subject.isOwn && account.user.status == .active,
        ]
        values["problem"] = problem
        if let notice { values["notice"] = text.notice(notice) }
        return form.values(values)
    }

    /// What the operator types to delete the user.
    private var confirmation: String {
        account.identifiers.keys.map(\.shown).min() ?? account.user.id.rawValue
    }

    private func loginIDs(_ strings: Strings) -> [[String: Any]] {
        let text = strings[ConsoleUserStrings.self]
        return account.identifiers.sorted { $0.key.value < $1.key.value }.map { identifier, state in
            var row: [String: Any] = [
                "value": identifier.shown, "badge": state == .verified ? text.verified : text.unverified,
                "badgeStyle": state == .verified ? "good" : "",
            ]
            if account.identifiers.count > 1 {
                row["remove"] =
                    ConsoleUserAction(
                        word: "remove-login-id", label: text.remove,
                        question: strings[ConsoleUserChangeStrings.self].removeLoginIDSure(identifier.shown),
                        isDangerous: true,
                        fields: [("id", account.user.id.rawValue), ("loginId", identifier.value)], form: form
                    ).values
            }
            return row
        }
    }

    private static func role(_ role: Role, _ field: String) -> [String: Any] {
        ["field": field, "role": role.name, "isHeld": role.isHeld]
    }

    private func membership(_ membership: Membership, _ number: Int, _ text: ConsoleUserChangeStrings)
        -> [String: Any]
    {
        [
            "tenant": membership.tenant, "tenantName": membership.name,
            "tenantRoles": membership.roles.enumerated().map { Self.role($1, "role-\(number)-\($0)") },
            "leave": ConsoleUserAction(
                word: "leave", label: text.leave, question: text.leaveSure(membership.name), isDangerous: true,
                fields: [("id", account.user.id.rawValue), ("tenant", membership.tenant)], form: form
            ).values,
        ]
    }
}
