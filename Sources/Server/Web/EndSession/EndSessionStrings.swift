internal import Texts

/// What the sign-out pages say.
struct EndSessionStrings: PageTexts {
    static let group = "endSession"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    func lead(_ person: String?) -> String {
        person.map { texts["lead.named", ["person": $0]] } ?? texts["lead.unnamed"]
    }
    var submit: String { texts["submit"] }
    var stay: String { texts["stay"] }
    var signedOutHeading: String { texts["signedOutHeading"] }
    var signedOutLead: String { texts["signedOutLead"] }
    var signInAgain: String { texts["signInAgain"] }
}
