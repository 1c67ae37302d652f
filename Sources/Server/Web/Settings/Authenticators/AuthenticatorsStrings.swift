/// What the page of the two-step verification says.
struct AuthenticatorsStrings: PageStrings {
    let title: String
    let isOff: String
    let codesLeft: @Sendable (_ count: Int) -> String
    let lead: String
    let apps: String
    let none: String
    let add: String
    let recoveryCodes: String
    let renewCodes: String
    let renewSure: String
    let notice: @Sendable (SettingsAuthenticatorsPage.Notice) -> String
}

extension AuthenticatorsStrings {
    static let english = AuthenticatorsStrings(
        title: "Two-step verification",
        isOff: "Two-step verification is off.",
        codesLeft: { $0 == 1 ? "1 recovery code is left." : "\($0) recovery codes are left." },
        lead: "Two-step verification keeps others out, even if they know your password.",
        apps: "Authenticator apps",
        none: "None.",
        add: "Add an authenticator app",
        recoveryCodes: "Recovery codes",
        renewCodes: "Create new codes",
        renewSure: "Your current codes will stop working.",
        notice: { kind in
            switch kind {
            case .added: "Two-step verification is on."
            case .removed: "Removed."
            }
        })

    static let german = AuthenticatorsStrings(
        title: "Zwei-Schritt-Bestätigung",
        isOff: "Die Zwei-Schritt-Bestätigung ist aus.",
        codesLeft: { $0 == 1 ? "1 Wiederherstellungscode ist übrig." : "\($0) Wiederherstellungscodes sind übrig." },
        lead: "Die Zwei-Schritt-Bestätigung hält andere fern, selbst wenn sie Ihr Passwort kennen.",
        apps: "Authenticator-Apps",
        none: "Keine.",
        add: "Authenticator-App hinzufügen",
        recoveryCodes: "Wiederherstellungscodes",
        renewCodes: "Neue erzeugen",
        renewSure: "Die bisherigen gelten dann nicht mehr.",
        notice: { kind in
            switch kind {
            case .added: "Die Zwei-Schritt-Bestätigung ist an."
            case .removed: "Entfernt."
            }
        })
}
