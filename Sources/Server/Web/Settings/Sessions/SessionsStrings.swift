internal import Texts

/// What the page of devices and sessions says.
struct SessionsStrings: PageTexts {
    static let group = "sessions"
    let texts: TextGroup

    func child(named name: String) -> Any? {
        switch name {
        case "copies": copies
        case "signIns": signIns
        default: texts.plain(name) ?? texts.list(name)
        }
    }
    var title: String { texts["title"] }
    func count(_ count: Int) -> String { texts["count", count: count] }
    var lead: String { texts["lead"] }
    var thisBrowser: String { texts["thisBrowser"] }
    var otherBrowsers: String { texts["otherBrowsers"] }
    var appsWithAccess: String { texts["appsWithAccess"] }
    var copies: CopiedTokenStrings { CopiedTokenStrings(texts.table) }
    var signIns: AppSignInStrings { AppSignInStrings(texts.table) }
    var touchSignIns: String { texts["touchSignIns"] }
    var touchSignInsLead: String { texts["touchSignInsLead"] }
    var end: String { texts["end"] }
    var endAll: String { texts["endAll"] }
    var endAllSure: String { texts["endAllSure"] }
    /// BCP 47, for the names of countries.
    var language: String { texts.table.code }
    var newDevice: String { texts["newDevice"] }
    func lastUsed(_ since: String) -> String { texts["lastUsed", ["since": since]] }
    func notice(_ kind: SettingsSessionsPage.Notice) -> String {
        switch kind {
        case .ended: texts["notice.ended"]
        case .othersEnded: texts["notice.othersEnded"]
        case .keyRemoved: texts["notice.keyRemoved"]
        }
    }
}
