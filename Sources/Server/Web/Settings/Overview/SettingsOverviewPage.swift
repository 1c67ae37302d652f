/// The overview: one line for each section.
struct SettingsOverviewPage: SettingsPage {
    /// The account's state.
    struct Summary: Sendable {
        let identifiers: [String]
        let hasUnverified: Bool
        /// `nil`: the account has no password.
        let passwordAgeSeconds: Int?
        let authenticators: Int
        let recoveryCodes: Int
        let passkeys: Int
        let sessions: Int
        var connections = 0
        /// Sign-ins on other devices that wait.
        var approvals = 0
    }

    static let template = PageTemplate.settings
    static let section = SettingsSection.overview
    let settingsUser: SettingsUser?
    let summary: Summary

    func title(_ strings: Strings) -> String { strings[SettingsStrings.self].heading }

    func values(_ strings: Strings) -> [String: Any] {
        let name = settingsUser?.name ?? ""
        var result: [String: Any] = [
            "heading": title(strings), "lead": strings[OverviewStrings.self].lead(name),
            "cards": (settingsUser?.sections ?? []).compactMap { section in
                section.card(self, strings).map { card in
                    var values: [String: Any] = [
                        "uri": section.path, "name": section.title(strings), "summary": card.summary,
                    ]
                    values["badge"] = card.badge
                    if card.isDangerous { values["style"] = "danger" }
                    return values
                }
            },
        ]
        if settingsUser?.isInApp != true { result["signOut"] = strings.signOut }
        return result
    }
}
