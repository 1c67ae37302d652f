internal import Model

/// The form that makes a user.
struct ConsoleUserCreationPage: ConsolePage {
    static let template = PageTemplate.consoleUserCreation
    static let name = "admin-user-creation"
    static let section = ConsoleSection.users
    let visitor: ConsoleVisitor
    let form: PageForm
    /// What was typed, by field.
    var typed: [String: String] = [:]
    var isInvited = true
    var problem: String?

    /// The texts of the form, by the names of the management interface.
    static let fields = ["loginId", "displayName", "givenName", "familyName", "email", "phone"]

    func title(_ strings: Strings) -> String { strings[ConsoleUsersStrings.self].create }

    func values(_ strings: Strings) -> [String: Any] {
        let users = strings[ConsoleUsersStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": strings[ConsoleUserCreationStrings.self],
            "user": strings[ConsoleUserStrings.self], "list": Self.section.path, "listTitle": users.title,
            "isInvited": isInvited, "create": users.create,
        ]
        for field in Self.fields { values[field] = typed[field] ?? "" }
        values["problem"] = problem
        return form.values(values)
    }
}
