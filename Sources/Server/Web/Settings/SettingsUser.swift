/// The signed-in user, and the links of the menu.
struct SettingsUser: Sendable {
    let name: String
    let sections: [SettingsSection]
    /// Whether an app opened the pages in its own session, which ends in the app.
    var isInApp = false

    /// The values for the layout: the sections, and the one of this page.
    func navigation(at page: String, _ strings: Strings) -> [String: Any] {
        let heading = strings[SettingsStrings.self].heading
        var values: [String: Any] = [
            "label": heading, "person": name,
            "sections": sections.filter(\.isInMenu).map { section in
                ["uri": section.path, "name": section.title(strings), "isCurrent": section.pageName == page]
            },
        ]
        if !isInApp { values["signOut"] = strings.signOut }
        values["back"] = page == SettingsSection.overview.pageName ? nil : heading
        return values
    }
}
