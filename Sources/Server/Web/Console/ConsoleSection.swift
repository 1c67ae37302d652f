internal import Model

/// A section of the console: its page, its place in the menu, and its routes.
///
/// A section is declared in the folder of its pages and has a line in ``all``; nothing else knows it.
struct ConsoleSection: Sendable {
    /// Every section, in the order of the menu.
    static let all: [ConsoleSection] = [
        .overview,
        .users,
        .tenants,
        .roles,
        .connections,
        .clients,
        .keys,
        .messages,
        .audit,
        .operators,
        .configuration,
    ]

    /// The address of its first page.
    let path: String
    let title: @Sendable (Strings) -> String
    let routes: @Sendable (ConsoleRoutes) -> [Route]

    /// The `data-page` of its first page, such as `admin-users`.
    var pageName: String { String(path.dropFirst()).replacing("/", with: "-") }
}
