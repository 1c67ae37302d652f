internal import Texts

/// What the page of the configuration says.
struct ConsoleConfigurationStrings: PageTexts {
    static let group = "consoleConfiguration"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var project: String { texts["project"] }
    var tokens: String { texts["tokens"] }
    var signIn: String { texts["signIn"] }
    var data: String { texts["data"] }
    var any: String { texts["any"] }
}
