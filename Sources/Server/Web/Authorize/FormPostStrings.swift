internal import Texts

/// What the page says that posts an answer to an app.
struct FormPostStrings: PageTexts {
    static let group = "formPost"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    var lead: String { texts["lead"] }
    var submit: String { texts["submit"] }
}
