internal import KeyturnWire

/// The sections of the settings.
enum SettingsSection: String, Sendable, CaseIterable {
    case overview = "settings"
    case profile = "settings-profile"
    case identifiers = "settings-identifiers"
    case password = "settings-password"
    case passkeys = "settings-passkeys"
    case authenticators = "settings-authenticators"
    case sessions = "settings-sessions"
    case delete = "settings-delete"

    /// The address of its page.
    var path: String {
        self == .overview ? "/settings" : "/settings/" + rawValue.dropFirst("settings-".count)
    }
}

extension SettingsSection {
    /// The section where a user can do an action; `nil`: there is none.
    init?(_ action: SettingsAction) {
        switch action {
        case .changePassword: self = .password
        case .deleteAccount: self = .delete
        default: return nil
        }
    }
}

/// The signed-in user, and the links of the layout.
struct SettingsVisitor: Sendable {
    let name: String
    let sections: [SettingsSection]
    /// The app that sent the user here, to return to.
    let returning: DonePage.Way?

    /// The values for the layout: the sections, and the one of this page.
    func navigation(at page: String, _ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "label": strings.settings.heading, "person": name, "signOut": strings.signOut,
            "sections": sections.filter { $0 != .delete }.map { section in
                [
                    "uri": section.path, "name": strings.settings.section(section),
                    "isCurrent": section.rawValue == page,
                ]
            },
        ]
        values["back"] = page == SettingsSection.overview.rawValue ? nil : strings.settings.heading
        values["returning"] = returning.map { ["uri": $0.uri, "label": strings.link.onward($0.appName)] }
        return values
    }
}

/// The overview: one line for each section.
struct SettingsPage: Page {
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
    }

    static let template = PageTemplate.settings
    static let name = "settings"
    static let isWide = true
    let visitor: SettingsVisitor?
    let summary: Summary

    func title(_ strings: Strings) -> String { strings.settings.heading }

    func values(_ strings: Strings) -> [String: Any] {
        let sections = (visitor?.sections ?? []).filter { $0 != .overview }
        return [
            "heading": title(strings), "lead": strings.settings.lead(visitor?.name ?? ""),
            "signOut": strings.signOut,
            "cards": sections.map { section in
                var card: [String: Any] = [
                    "uri": section.path, "name": strings.settings.section(section),
                    "summary": line(section, strings),
                ]
                if section == .delete { card["style"] = "danger" }
                if section == .identifiers, summary.hasUnverified { card["badge"] = strings.settings.unverified }
                if section == .passkeys, summary.passkeys == 0 { card["badge"] = strings.settings.off }
                if section == .authenticators, summary.authenticators == 0 { card["badge"] = strings.settings.off }
                return card
            },
        ]
    }

    private func line(_ section: SettingsSection, _ strings: Strings) -> String {
        switch section {
        case .overview: ""
        case .profile: visitor?.name ?? ""
        case .identifiers: summary.identifiers.joined(separator: ", ")
        case .password:
            summary.passwordAgeSeconds.map { strings.settings.passwordSet(strings.time.since($0)) }
                ?? strings.settings.passwordNone
        case .passkeys: strings.passkey.count(summary.passkeys)
        case .authenticators:
            summary.authenticators == 0
                ? strings.settings.secondStepOff : strings.settings.codesLeft(summary.recoveryCodes)
        case .sessions: strings.settings.sessionCount(summary.sessions)
        case .delete: strings.settings.deleteSummary
        }
    }
}

/// Names, picture and language.
struct SettingsProfilePage: Page {
    enum Problem: Sendable, CaseIterable {
        case tooLong, pictureInvalid
    }

    static let template = PageTemplate.profile
    static let name = "settings-profile"
    static let isWide = true
    let form: PageForm
    let visitor: SettingsVisitor?
    let displayName: String
    let givenName: String
    let familyName: String
    let picture: String
    /// BCP 47; `nil`: the browser's language.
    let locale: String?
    let problem: Problem?
    let wasSaved: Bool
    var signals: [PasskeySignal] = []

    func title(_ strings: Strings) -> String { strings.settings.section(.profile) }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "text": strings.settings, "displayName": displayName, "givenName": givenName,
            "familyName": familyName, "picture": picture, "pictureProblem": problem == .pictureInvalid,
            "languages": Language.all.map {
                ["code": $0.code, "name": $0.strings.settings.languageName, "isChosen": $0.code == locale]
            },
        ]
        if let problem { values["problem"] = strings.settings.profileProblem(problem) }
        if wasSaved, problem == nil { values["notice"] = strings.settings.saved }
        return form.values(values)
    }
}
