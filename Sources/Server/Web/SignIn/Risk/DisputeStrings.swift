internal import Texts

/// What the page says on which a sign-in is disputed.
struct DisputeStrings: PageTexts {
    static let group = "dispute"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    func lead(_ app: String) -> String { texts["lead", ["app": app]] }
    var when: String { texts["when"] }
    var points: [String] {
        [texts["points.first"], texts["points.second"], texts["points.third"]]
    }
    var submit: String { texts["submit"] }
    var note: String { texts["note"] }
    var doneHeading: String { texts["doneHeading"] }
    var doneLead: String { texts["doneLead"] }
    var donePoints: [String] {
        [texts["donePoints.first"], texts["donePoints.second"]]
    }
    var reset: String { texts["reset"] }
    var goneHeading: String { texts["goneHeading"] }
    var goneLead: String { texts["goneLead"] }
}
