internal import Authority
internal import Identity
internal import SignIn

/// A section of the settings: its page, its place in the menu and on the overview, and its routes.
///
/// A section is declared in the folder of its page and has a line in ``all``; nothing else knows it.
struct SettingsSection: Sendable {
    /// Every section, in the order of the menu.
    static let all: [SettingsSection] = [
        .overview,
        .profile,
        .identifiers,
        .password,
        .passkeys,
        .authenticators,
        .connections,
        .sessions,
        .approvals,
        .delete,
    ]

    /// The address of its page.
    let path: String
    let title: @Sendable (Strings) -> String
    /// Whether the menu has it; if not, only the overview does.
    var isInMenu = true
    /// The sign-in methods that users set up in it.
    var signInMethods: [any SignInMethod.Type] = []
    /// Its line on the overview; `nil`: none.
    let card: @Sendable (SettingsOverviewPage, Strings) -> Card?
    /// What its forms do that the rulebook asks more for than a recent sign-in; `nil`: nothing.
    var act: Act?
    let routes: @Sendable (SettingsRoutes) -> [Route]
    /// Whether this server has it, as it is configured.
    var isConfigured: @Sendable (IdentityServices) -> Bool = { _ in true }

    /// A line on the overview.
    struct Card: Sendable {
        /// The account's state.
        let summary: String
        /// What the user should know at a glance.
        var badge: String?
        /// Whether the page destroys something.
        var isDangerous = false
    }

    /// Whether this server has the section: it is of no method, or of one that is offered.
    func isOffered(by services: IdentityServices) -> Bool {
        isConfigured(services) && (signInMethods.isEmpty || signInMethods.contains { services.methods.offers($0) })
    }

    /// The `data-page` of its page, such as `settings-profile`.
    var pageName: String { String(path.dropFirst()).replacing("/", with: "-") }
}
