internal import Texts

/// What the page says that leads a signed-in user to an app on this device.
struct ContinuationStrings: PageTexts {
    static let group = "continuation"
    let texts: TextGroup

    func heading(_ app: String) -> String { texts["heading", ["app": app]] }
    func lead(_ person: String) -> String { texts["lead", ["person": person]] }
    var warning: String { texts["warning"] }
    func submit(_ person: String) -> String { texts["submit", ["person": person]] }
    var otherAccount: String { texts["otherAccount"] }
}
