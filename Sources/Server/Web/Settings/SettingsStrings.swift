/// What several pages of the settings say.
struct SettingsStrings: PageStrings {
    let heading: String
    let off: String
    let save: String
    let saved: String
    let remove: String
    let removeSure: String
    let facts: @Sendable (_ added: String, _ used: String?) -> String
}

extension SettingsStrings {
    static let english = SettingsStrings(
        heading: "Settings",
        off: "Off",
        save: "Save",
        saved: "Saved.",
        remove: "Remove",
        removeSure: "You can no longer sign in with it.",
        facts: { "Added \($0), " + ($1.map { "last used \($0)" } ?? "never used") })

    static let german = SettingsStrings(
        heading: "Einstellungen",
        off: "Aus",
        save: "Speichern",
        saved: "Gespeichert.",
        remove: "Entfernen",
        removeSure: "Sie können sich damit nicht mehr anmelden.",
        facts: { "Hinzugefügt: \($0), " + ($1.map { "zuletzt benutzt: \($0)" } ?? "nie benutzt") })
}
