internal import Texts

/// What the start page says.
struct HomeStrings: PageTexts {
    static let group = "home"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    var lead: String { texts["lead"] }
    var developmentHeading: String { texts["developmentHeading"] }
    var developmentLead: String { texts["developmentLead"] }
    var tryTitle: String { texts["tryTitle"] }
    var tryText: String { texts["tryText"] }
    var trySubmit: String { texts["trySubmit"] }
    var toolTitle: String { texts["toolTitle"] }
    var toolText: String { texts["toolText"] }
    var buildTitle: String { texts["buildTitle"] }
    var buildText: String { texts["buildText"] }
    var issuer: String { texts["issuer"] }
    var discovery: String { texts["discovery"] }
}
