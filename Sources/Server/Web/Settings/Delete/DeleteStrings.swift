internal import Texts

/// What the page says that deletes the account.
struct DeleteStrings: PageTexts {
    static let group = "delete"
    let texts: TextGroup

    var title: String { texts["title"] }
    var summary: String { texts["summary"] }
    var lead: String { texts["lead"] }
    var confirm: String { texts["confirm"] }
    var submit: String { texts["submit"] }
    var unconfirmed: String { texts["unconfirmed"] }
}
