internal import Authority
internal import Account
internal import KeyturnBase
internal import Model

/// Everything about a user, and what an operator may do for them.
struct ConsoleUserPage: ConsolePage {
    enum Notice: String, Sendable, CaseIterable {
        case disabled, enabled, sessionEnded, allEnded, resetSent, invited, secondFactorRemoved, passkeyRemoved
        case biometricRemoved, created, merged
        /// There was nothing to do: it was done before.
        case nothing
    }

    static let template = PageTemplate.consoleUser
    static let name = "admin-user"
    static let section = ConsoleSection.users
    let visitor: ConsoleVisitor
    let subject: ConsoleUserSubject
    /// Of what needs a recent sign-in.
    let form: PageForm
    /// Of what does not.
    let sessionForm: PageForm
    let methods: ManagedUserAccess.Methods
    let signedIn: AccountSettings.SignedIn
    /// What the message of a reset goes to; `nil`: there is nothing.
    let resetAddress: String?
    let memberships: [(tenant: String, roles: [String])]
    let roles: [String]
    let events: [AuditEvent]
    /// The names of operators, by the actors of the events.
    let actors: [String: String]
    /// The name of the project, which its own apps have.
    let project: String
    let now: UnixTime
    var problem: String?
    var notice: Notice?

    var account: Account { subject.account }
    var mayHelp: Bool { visitor.may(.support) && subject.mayChange }

    func title(_ strings: Strings) -> String { account.shownName }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleUserStrings.self]
        let users = strings[ConsoleUsersStrings.self]
        var values: [String: Any] = [
            "heading": account.shownName, "text": text, "users": users, "id": account.user.id.rawValue,
            "list": Self.section.path, "listTitle": users.title,
            "status": users.status(account.user.status), "style": ConsoleUsersPage.style(account.user.status),
            "mayEdit": visitor.may(.operator) && subject.mayChange, "mayHelp": mayHelp,
            "change": ConsoleMiddleware.address(ConsoleUserPaths.change, ["id": account.user.id.rawValue]),
            "facts": facts(strings), "documents": documents(text),
            "actionsTitle": strings[ConsoleStrings.self].actions,
            "actions": mayHelp ? actions(strings).map(\.values) : [], "methods": methodValues(strings),
            "sessions": signedIn.others.map { row($0, strings) }, "hasSessions": !signedIn.others.isEmpty,
            "apps": signedIn.apps.map { row($0, strings) }, "hasApps": !signedIn.apps.isEmpty,
            "copies": signedIn.copies.map { row($0, strings) }, "hasCopies": !signedIn.copies.isEmpty,
            "events": events.map { row($0, strings) }, "hasEvents": !events.isEmpty,
            "audit": ConsoleMiddleware.address("/admin/audit", ["user": account.user.id.rawValue]),
        ]
        if account.user.isTest { values["mark"] = users.test }
        if account.user.isAnonymous { values["mark"] = users.anonymous }
        if let role = subject.role { values["operator"] = text.operator(strings[ConsoleStrings.self].role(role)) }
        if visitor.may(.support), !subject.mayChange { values["protected"] = text.protected }
        values["problem"] = problem
        if let notice { values["notice"] = text.notice(notice) }
        return form.values(values)
    }

    func moment(_ time: UnixTime, _ strings: Strings) -> [String: Any] {
        ConsoleMoment(time: time, now: now).values(strings)
    }

    /// Terms with one or more values each, of which some have a badge.
    private func facts(_ strings: Strings) -> [[String: Any]] {
        let text = strings[ConsoleUserStrings.self]
        func value(_ value: String, isVerified: Bool? = nil) -> [String: Any] {
            // An operator tells users apart by what is written here.
            var values: [String: Any] = ["value": VisibleText.shown(value)]
            if let isVerified {
                values["badge"] = isVerified ? text.verified : text.unverified
                values["badgeStyle"] = isVerified ? "good" : ""
            }
            return values
        }
        var facts: [[String: Any]] = []
        func add(_ name: String, _ values: [[String: Any]]) {
            if !values.isEmpty { facts.append(["name": name, "values": values]) }
        }
        func claim(_ name: String) -> [[String: Any]] {
            account.user.claims[name]?.stringValue.flatMap { $0.isEmpty ? nil : [value($0)] } ?? []
        }
        add(text.identifier, [value(account.user.id.rawValue)])
        add(text.name, claim("name"))
        add(text.givenName, claim("given_name"))
        add(text.familyName, claim("family_name"))
        add(
            text.loginIDs,
            account.identifiers.sorted { $0.key.value < $1.key.value }.map { identifier, state in
                value(identifier.value, isVerified: identifier.kind == .username ? nil : state == .verified)
            })
        add(text.email, account.email.map { [value($0, isVerified: account.isEmailVerified)] } ?? [])
        add(text.phone, account.phone.map { [value($0, isVerified: account.isPhoneVerified)] } ?? [])
        add(text.language, claim("locale"))
        add(text.roles, roles.map { value($0) })
        add(
            text.tenants,
            memberships.map {
                value($0.roles.isEmpty ? $0.tenant : "\($0.tenant): \($0.roles.joined(separator: ", "))")
            })
        facts.append(["name": text.created, "moment": moment(account.user.createdAt, strings)])
        facts.append(["name": text.changed, "moment": moment(account.user.updatedAt, strings)])
        return facts
    }

    /// The user's own data as JSON, folded.
    private func documents(_ text: ConsoleUserStrings) -> [[String: Any]] {
        [(text.attributes, account.user.attributes), (text.claims, account.user.claims)].filter { !$0.1.isEmpty }
            .map { ["name": $0.0, "json": ReadableJSON.text(.object($0.1))] }
    }
}

/// The user that a page is about, and whether its operator may change them.
struct ConsoleUserSubject: Sendable {
    let account: Account
    /// The user's own role in the console; `nil`: no operator.
    let role: ConsoleRole?
    let mayChange: Bool
    /// Whether it is the operator's own account.
    let isOwn: Bool
}
