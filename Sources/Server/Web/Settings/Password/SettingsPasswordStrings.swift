/// What the settings say about the password.
struct SettingsPasswordStrings: PageStrings {
    let title: String
    let set: @Sendable (_ since: String) -> String
    let none: String
    let lead: String
    let firstLead: String
    let saved: String
}

extension SettingsPasswordStrings {
    static let english = SettingsPasswordStrings(
        title: "Password",
        set: { "Changed \($0)" },
        none: "No password yet",
        lead: "Changing it keeps you signed in here.",
        firstLead: "You have no password yet. With one, you can sign in without waiting for a message.",
        saved: "Your password is saved.")

    static let german = SettingsPasswordStrings(
        title: "Passwort",
        set: { "Geändert \($0)" },
        none: "Noch kein Passwort",
        lead: "Hier bleiben Sie dabei angemeldet.",
        firstLead: "Sie haben noch kein Passwort. Damit können Sie sich ohne Nachricht anmelden.",
        saved: "Ihr Passwort ist gespeichert.")
}
