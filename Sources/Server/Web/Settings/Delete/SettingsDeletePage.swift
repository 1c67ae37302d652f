/// Deletes the account.
struct SettingsDeletePage: SettingsPage {
    static let template = PageTemplate.delete
    static let section = SettingsSection.delete
    let form: PageForm
    let settingsUser: SettingsUser?
    /// Whether the user left the box unticked.
    let isUnconfirmed: Bool

    var redirectOrigins: [String] { form.redirectOrigins }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[DeleteStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "cancel": strings.cancel,
            "identity": settingsUser?.name ?? "",
        ]
        if isUnconfirmed { values["problem"] = text.unconfirmed }
        return form.values(values)
    }
}
