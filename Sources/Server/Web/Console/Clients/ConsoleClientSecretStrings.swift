internal import Model
internal import Texts

/// What the page with a client's secret says.
struct ConsoleClientSecretStrings: PageTexts {
    static let group = "consoleClientSecret"
    let texts: TextGroup

    var lead: String { texts["lead"] }
    var secret: String { texts["secret"] }
    var copy: String { texts["copy"] }
    var copied: String { texts["copied"] }
    var oldGood: String { texts["oldGood"] }
    var oldBad: String { texts["oldBad"] }
    var goOn: String { texts["goOn"] }
    func registered(_ name: String) -> String { texts["registered", ["name": name]] }
    func rotated(_ name: String) -> String { texts["rotated", ["name": name]] }
}
