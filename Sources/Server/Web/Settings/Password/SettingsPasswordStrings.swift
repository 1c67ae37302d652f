internal import Texts

/// What the settings say about the password.
struct SettingsPasswordStrings: PageTexts {
    static let group = "settingsPassword"
    let texts: TextGroup

    var title: String { texts["title"] }
    func set(_ since: String) -> String { texts["set", ["since": since]] }
    var none: String { texts["none"] }
    var lead: String { texts["lead"] }
    var firstLead: String { texts["firstLead"] }
    var saved: String { texts["saved"] }
}
