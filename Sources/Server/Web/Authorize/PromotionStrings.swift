internal import Texts

/// What the page says that is shown when a user without an account signs in to one that exists.
struct PromotionStrings: PageTexts {
    static let group = "promotion"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    func lead(_ person: String, _ app: String) -> String { texts["lead", ["person": person, "app": app]] }
    func hadLead(_ app: String) -> String { texts["hadLead", ["app": app]] }
    func since(_ since: String) -> String { texts["since", ["since": since]] }
    func details(_ count: Int) -> String { texts["details", count: count] }
    func memberships(_ count: Int) -> String { texts["memberships", count: count] }
    var note: String { texts["note"] }
    var bring: String { texts["bring"] }
    var leave: String { texts["leave"] }
    var cancel: String { texts["cancel"] }
}
