internal import Texts

/// What the consent page says.
struct ConsentStrings: PageTexts {
    static let group = "consent"
    let texts: TextGroup

    func heading(_ app: String) -> String { texts["heading", ["app": app]] }
    func lead(_ person: String) -> String { texts["lead", ["person": person]] }
    func destination(_ address: String) -> String { texts["destination", ["address": address]] }
    var allow: String { texts["allow"] }
}
