internal import Texts

/// What the settings say about passkeys.
struct SettingsPasskeysStrings: PageTexts {
    static let group = "settingsPasskeys"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var none: String { texts["none"] }
    var add: String { texts["add"] }
    var addHint: String { texts["addHint"] }
    var securityKey: String { texts["securityKey"] }
    func storage(_ kind: SettingsPasskeysPage.Storage) -> String {
        switch kind {
        case .synced: texts["storage.synced"]
        case .notYetSynced: texts["storage.notYetSynced"]
        case .oneDevice: texts["storage.oneDevice"]
        }
    }
    var switchedOff: String { texts["switchedOff"] }
    var rename: String { texts["rename"] }
    var nameLabel: String { texts["nameLabel"] }
    var switchOff: String { texts["switchOff"] }
    var switchOn: String { texts["switchOn"] }
    func problem(_ kind: SettingsPasskeysPage.Problem) -> String {
        switch kind {
        case .refused: texts["problem.refused"]
        case .expired: texts["problem.expired"]
        case .taken: texts["problem.taken"]
        case .tooMany: texts["problem.tooMany"]
        case .nameInvalid: texts["problem.nameInvalid"]
        case .onlyWay: texts["problem.onlyWay"]
        }
    }
    func notice(_ kind: SettingsPasskeysPage.Notice) -> String {
        switch kind {
        case .added: texts["notice.added"]
        case .renamed: texts["notice.renamed"]
        case .removed: texts["notice.removed"]
        case .switchedOn: texts["notice.switchedOn"]
        case .switchedOff: texts["notice.switchedOff"]
        }
    }
    var removalHeading: String { texts["removalHeading"] }
    var removalLead: String { texts["removalLead"] }
    var removalLast: String { texts["removalLast"] }
    var back: String { texts["back"] }
    func count(_ count: Int) -> String { texts["count", count: count] }
}
