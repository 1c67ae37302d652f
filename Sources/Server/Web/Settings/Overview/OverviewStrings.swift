internal import Texts

/// What the overview of the settings says.
struct OverviewStrings: PageTexts {
    static let group = "overview"
    let texts: TextGroup

    var title: String { texts["title"] }
    func lead(_ person: String) -> String { texts["lead", ["person": person]] }
}
