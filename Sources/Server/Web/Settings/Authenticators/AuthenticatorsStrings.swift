internal import Texts

/// What the page of the two-step verification says.
struct AuthenticatorsStrings: PageTexts {
    static let group = "authenticators"
    let texts: TextGroup

    var title: String { texts["title"] }
    var isOff: String { texts["isOff"] }
    func codesLeft(_ count: Int) -> String { texts["codesLeft", count: count] }
    var lead: String { texts["lead"] }
    var apps: String { texts["apps"] }
    var none: String { texts["none"] }
    var add: String { texts["add"] }
    var recoveryCodes: String { texts["recoveryCodes"] }
    var renewCodes: String { texts["renewCodes"] }
    var renewSure: String { texts["renewSure"] }
    func notice(_ kind: SettingsAuthenticatorsPage.Notice) -> String {
        switch kind {
        case .added: texts["notice.added"]
        case .removed: texts["notice.removed"]
        }
    }
}
