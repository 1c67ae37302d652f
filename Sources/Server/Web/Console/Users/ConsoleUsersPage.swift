internal import Authority
internal import Account
internal import KeyturnBase
internal import Model

/// The users that a search finds.
struct ConsoleUsersPage: ConsolePage {
    enum Notice: String, Sendable, CaseIterable {
        case deleted
    }

    /// One option of a filter.
    struct Choice: Sendable {
        let id: String
        let name: String
    }

    static let template = PageTemplate.consoleUsers
    static let section = ConsoleSection.users
    let visitor: ConsoleVisitor
    let wanted: ManagedUsers.ListQuery
    let list: ManagedUsers.UserList
    /// `nil`: there are too many for a menu; an identifier is typed.
    let tenants: [Choice]?
    /// `nil`: there are too many for a menu.
    let roles: [Choice]?
    let now: UnixTime
    var problem: String?
    var notice: Notice?

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleUsersStrings.self]
        let console = strings[ConsoleStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "mayCreate": visitor.may(.operator), "typed": wanted.text,
            "searchButton": console.search, "anyTitle": console.all, "tenant": wanted.tenant ?? "",
            "statuses": User.Status.allCases.map { status in
                choice(Choice(id: status.rawValue, name: text.status(status)), chosen: wanted.status?.rawValue)
            },
            "total": list.areMore ? text.moreThan(list.total) : text.total(list.total),
            "users": list.users.map { row($0, strings) }, "isEmpty": list.users.isEmpty,
            "pager": pager.values(strings), "hasTenants": tenants?.isEmpty != true,
            "hasTenantMenu": tenants?.isEmpty == false, "hasRoleMenu": roles?.isEmpty == false,
        ]
        values["tenants"] = tenants?.map { choice($0, chosen: wanted.tenant) }
        values["roles"] = roles?.map { choice($0, chosen: wanted.role) }
        values["problem"] = problem
        if let notice { values["notice"] = text.notice(notice) }
        return values
    }

    private func choice(_ choice: Choice, chosen: String?) -> [String: Any] {
        ["id": choice.id, "name": choice.name, "isChosen": choice.id == chosen]
    }

    private var pager: ConsolePager {
        var query: [(name: String, value: String)] = []
        if !wanted.text.isEmpty { query.append(("text", wanted.text)) }
        if let status = wanted.status { query.append(("status", status.rawValue)) }
        if let tenant = wanted.tenant { query.append(("tenant", tenant)) }
        if let role = wanted.role { query.append(("role", role)) }
        return ConsolePager(
            path: Self.section.path, query: query, page: wanted.page, size: Limits.usersListedMax, total: list.total)
    }

    /// More login IDs than these are only counted.
    private static let loginIDsShownMax = 2

    private func row(_ account: Account, _ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleUsersStrings.self]
        let name = account.shownName
        let loginIDs = account.identifiers.keys.map(\.shown).sorted()
        var shown = loginIDs.filter { $0 != name }
        let hidden = shown.count - Self.loginIDsShownMax
        shown = Array(shown.prefix(Self.loginIDsShownMax))
        if hidden > 0 { shown.append(text.more(hidden)) }
        let factors = [account.hasPasskey ? text.passkey : nil, account.hasAuthenticator ? text.authenticator : nil]
        let factor = factors.compactMap(\.self).joined(separator: ", ")
        var row: [String: Any] = [
            "id": account.user.id.rawValue, "name": name, "status": text.status(account.user.status),
            "style": Self.style(account.user.status), "factor": factor.isEmpty ? text.noFactor : factor,
            "created": ConsoleMoment(time: account.user.createdAt, now: now).values(strings),
        ]
        if !shown.isEmpty { row["loginIDs"] = shown.joined(separator: " · ") }
        if account.user.isTest { row["mark"] = text.test }
        if account.user.isAnonymous { row["mark"] = text.anonymous }
        return row
    }

    /// The class of a status's badge.
    static func style(_ status: User.Status) -> String {
        switch status {
        case .active: "good"
        case .disabled: "bad"
        case .invited: ""
        case .expired: "bad"
        }
    }
}
