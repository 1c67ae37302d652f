internal import Texts

/// What the pages say on which users save and use recovery codes.
struct RecoveryCodeStrings: PageTexts {
    static let group = "recoveryCode"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    var lead: String { texts["lead"] }
    var label: String { texts["label"] }
    var wrong: String { texts["wrong"] }
    var newHeading: String { texts["newHeading"] }
    var newLead: String { texts["newLead"] }
    var replaced: String { texts["replaced"] }
    var copy: String { texts["copy"] }
    var copied: String { texts["copied"] }
    var download: String { texts["download"] }
    var print: String { texts["print"] }
    var kept: String { texts["kept"] }
}
