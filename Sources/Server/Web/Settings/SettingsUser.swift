/// The signed-in user, and the links of the menu.
struct SettingsUser: Sendable {
    let name: String
    let sections: [SettingsSection]

    /// The values for the layout: the sections, and the one of this page.
    func navigation(at page: String, _ strings: Strings) -> [String: Any] {
        let heading = strings[SettingsStrings.self].heading
        var values: [String: Any] = [
            "label": heading, "person": name, "signOut": strings.signOut,
            "sections": sections.filter(\.isInMenu).map { section in
                ["uri": section.path, "name": section.title(strings), "isCurrent": section.pageName == page]
            },
        ]
        values["back"] = page == SettingsSection.overview.pageName ? nil : heading
        return values
    }
}
