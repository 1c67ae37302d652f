internal import Texts

/// What the pages of flows say.
struct FlowStrings: PageTexts {
    static let group = "flow"
    let texts: TextGroup

    var doneHeading: String { texts["doneHeading"] }
    var doneLead: String { texts["doneLead"] }
    var cancelledHeading: String { texts["cancelledHeading"] }
    var cancelledLead: String { texts["cancelledLead"] }
    func providerHeading(_ provider: String) -> String { texts["providerHeading", ["provider": provider]] }
    var providerLead: String { texts["providerLead"] }
    var providerHere: String { texts["providerHere"] }
    var back: String { texts["back"] }
}
