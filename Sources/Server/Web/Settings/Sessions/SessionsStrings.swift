/// What the page of devices and sessions says.
struct SessionsStrings: PageStrings {
    let title: String
    let count: @Sendable (_ count: Int) -> String
    let lead: String
    let thisBrowser: String
    let otherBrowsers: String
    let appsWithAccess: String
    let copies: CopiedTokenStrings
    let signIns: AppSignInStrings
    let touchSignIns: String
    let touchSignInsLead: String
    let end: String
    let endAll: String
    let endAllSure: String
    /// BCP 47, for the names of countries.
    let language: String
    let newDevice: String
    let lastUsed: @Sendable (_ since: String) -> String
    let notice: @Sendable (SettingsSessionsPage.Notice) -> String
}

extension SessionsStrings {
    static let english = SessionsStrings(
        title: "Devices and sessions",
        count: { $0 == 1 ? "Only here" : "In \($0) places" },
        lead: "Sign out of anything you don’t recognise or no longer need.",
        thisBrowser: "This browser",
        otherBrowsers: "Other browsers",
        appsWithAccess: "Apps with access",
        copies: .english,
        signIns: .english,
        touchSignIns: "Fingerprint and face sign-in",
        touchSignInsLead: "These devices can sign in with a fingerprint or a face.",
        end: "Sign out",
        endAll: "Sign out everywhere else",
        endAllSure: "Other browsers and all apps must sign in again.",
        language: "en",
        newDevice: "New device",
        lastUsed: { "last used \($0)" },
        notice: { kind in
            switch kind {
            case .ended: "Signed out."
            case .othersEnded: "You are now signed in only here."
            case .keyRemoved: "Removed. That device must sign in again."
            }
        })

    static let german = SessionsStrings(
        title: "Geräte und Sitzungen",
        count: { $0 == 1 ? "Nur hier" : "Auf \($0) Geräten oder in Apps" },
        lead: "Melden Sie ab, was Sie nicht kennen oder nicht mehr brauchen.",
        thisBrowser: "Dieser Browser",
        otherBrowsers: "Andere Browser",
        appsWithAccess: "Apps mit Zugriff",
        copies: .german,
        signIns: .german,
        touchSignIns: "Anmelden mit Fingerabdruck oder Gesicht",
        touchSignInsLead: "Diese Geräte können sich mit Fingerabdruck oder Gesicht anmelden.",
        end: "Abmelden",
        endAll: "Überall sonst abmelden",
        endAllSure: "Andere Browser und alle Apps müssen sich neu anmelden.",
        language: "de",
        newDevice: "Neues Gerät",
        lastUsed: { "zuletzt benutzt \($0)" },
        notice: { kind in
            switch kind {
            case .ended: "Abgemeldet."
            case .othersEnded: "Sie sind nun nur noch hier angemeldet."
            case .keyRemoved: "Entfernt. Jenes Gerät muss sich neu anmelden."
            }
        })
}
