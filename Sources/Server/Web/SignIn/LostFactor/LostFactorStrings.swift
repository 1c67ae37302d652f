internal import Texts

/// What the pages say to a user who lost the second factor, and to the readers of the message about it.
struct LostFactorStrings: PageTexts {
    static let group = "lostFactor"
    let texts: TextGroup

    /// Leads here from the pages that ask for the second factor.
    var link: String { texts["link"] }
    var heading: String { texts["heading"] }
    func lead(_ delay: String) -> String { texts["lead", ["delay": delay]] }
    func steps(_ delay: String) -> [String] {
        [texts["steps.first"], texts["steps.second"], texts["steps.third", ["delay": delay]]]
    }
    var choose: String { texts["choose"] }
    var wrongPassword: String { texts["wrongPassword"] }
    func unavailable(_ project: String) -> String { texts["unavailable", ["project": project]] }
    var unavailableNote: String { texts["unavailableNote"] }
    var laterHeading: String { texts["laterHeading"] }
    func later(_ duration: String) -> String { texts["later", ["duration": duration]] }
    func laterNote(_ project: String) -> String { texts["laterNote", ["project": project]] }
    var waitingHeading: String { texts["waitingHeading"] }
    func waitingLead(_ duration: String) -> String { texts["waitingLead", ["duration": duration]] }
    var waitingPoints: [String] {
        [texts["waitingPoints.first"], texts["waitingPoints.second"], texts["waitingPoints.third"]]
    }
    var begun: String { texts["begun"] }
    var from: String { texts["from"] }
    var until: String { texts["until"] }
    var removalHeading: String { texts["removalHeading"] }
    var removalLead: String { texts["removalLead"] }
    var removalPoints: [String] {
        [texts["removalPoints.first"], texts["removalPoints.second"], texts["removalPoints.third"]]
    }
    var remove: String { texts["remove"] }
    var keep: String { texts["keep"] }
    var back: String { texts["back"] }
    var backToSignIn: String { texts["backToSignIn"] }
    var cancelHeading: String { texts["cancelHeading"] }
    func cancelLead(_ project: String) -> String { texts["cancelLead", ["project": project]] }
    var cancelSubmit: String { texts["cancelSubmit"] }
    var cancelNote: String { texts["cancelNote"] }
    var goneHeading: String { texts["goneHeading"] }
    var goneLead: String { texts["goneLead"] }
}
