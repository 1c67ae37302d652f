internal import Texts

/// What the page of addresses, phone numbers and user names says.
struct IdentifiersStrings: PageTexts {
    static let group = "identifiers"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    func kind(_ kind: SettingsIdentifiersPage.Kind) -> String {
        switch kind {
        case .email: texts["kind.email"]
        case .phone: texts["kind.phone"]
        case .username: texts["kind.username"]
        }
    }
    var primary: String { texts["primary"] }
    var unverified: String { texts["unverified"] }
    var verified: String { texts["verified"] }
    var makePrimary: String { texts["makePrimary"] }
    var verify: String { texts["verify"] }
    var add: String { texts["add"] }
    func problem(_ kind: SettingsIdentifiersPage.Problem) -> String {
        switch kind {
        case .invalid: texts["problem.invalid"]
        case .unreachable: texts["problem.unreachable"]
        case .taken: texts["problem.taken"]
        case .tooMany: texts["problem.tooMany"]
        case .lastOne: texts["problem.lastOne"]
        case .closed: texts["problem.closed"]
        case .tooManyMessages: texts["problem.tooManyMessages"]
        case .nameInvalid: texts["problem.nameInvalid"]
        case .tooManyNames: texts["problem.tooManyNames"]
        }
    }
    func notice(_ kind: SettingsIdentifiersPage.Notice) -> String {
        switch kind {
        case .added: texts["notice.added"]
        case .verified: texts["notice.verified"]
        case .removed: texts["notice.removed"]
        case .madePrimary: texts["notice.madePrimary"]
        case .messageSent: texts["notice.messageSent"]
        case .nameAdded: texts["notice.nameAdded"]
        }
    }
}
