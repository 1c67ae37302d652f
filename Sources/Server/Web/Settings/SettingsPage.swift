/// A page of the settings: wide, with the menu beside it. Named and titled like its section, if it does not say
/// otherwise.
protocol SettingsPage: Page {
    static var section: SettingsSection { get }
    /// The signed-in user; `nil`: the page has no menu.
    var settingsUser: SettingsUser? { get }
}

extension SettingsPage {
    static var name: String { section.pageName }
    static var isWide: Bool { true }

    func title(_ strings: Strings) -> String { Self.section.title(strings) }

    func navigation(_ strings: Strings) -> [String: Any]? { settingsUser?.navigation(at: Self.name, strings) }
}
