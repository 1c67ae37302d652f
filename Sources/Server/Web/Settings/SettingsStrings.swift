internal import Texts

/// What several pages of the settings say.
struct SettingsStrings: PageTexts {
    static let group = "settings"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    var off: String { texts["off"] }
    var save: String { texts["save"] }
    var saved: String { texts["saved"] }
    var remove: String { texts["remove"] }
    var removeSure: String { texts["removeSure"] }
    func facts(_ added: String, _ used: String?) -> String {
        used.map { texts["facts.used", ["added": added, "used": $0]] } ?? texts["facts.unused", ["added": added]]
    }
}
