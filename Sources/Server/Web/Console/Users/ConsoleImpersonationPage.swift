internal import KeyturnBase
internal import Model

/// The token of a session in which an operator acts as a user: shown once.
struct ConsoleImpersonationPage: ConsolePage {
    static let template = PageTemplate.consoleImpersonation
    static let name = "admin-impersonation"
    static let section = ConsoleSection.users
    let visitor: ConsoleVisitor
    let account: Account
    let token: Secret

    func title(_ strings: Strings) -> String { strings[ConsoleUserChangeStrings.self].tokenTitle }

    func values(_ strings: Strings) -> [String: Any] {
        [
            "heading": title(strings), "text": strings[ConsoleUserChangeStrings.self], "token": token.exposed(),
            "name": account.shownName, "list": Self.section.path,
            "listTitle": strings[ConsoleUsersStrings.self].title,
            "back": ConsoleMiddleware.address(ConsoleUserPaths.user, ["id": account.user.id.rawValue]),
        ]
    }
}
