internal import Texts

/// What the page that waits for an approval says.
struct ApprovalStrings: PageTexts {
    static let group = "approval"
    let texts: TextGroup

    /// On the first page.
    var button: String { texts["button"] }
    var heading: String { texts["heading"] }
    func lead(_ address: String) -> String { texts["lead", ["address": address]] }
    var numberLabel: String { texts["numberLabel"] }
    var waiting: String { texts["waiting"] }
    var refresh: String { texts["refresh"] }
    var advice: String { texts["advice"] }
    var over: String { texts["over"] }
    var again: String { texts["again"] }
}
