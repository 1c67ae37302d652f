internal import Authority
internal import Model
internal import Texts

/// What several pages of the console say.
struct ConsoleStrings: PageTexts {
    static let group = "console"
    let texts: TextGroup

    var title: String { texts["title"] }
    var menu: String { texts["menu"] }
    var skip: String { texts["skip"] }
    var account: String { texts["account"] }
    var previous: String { texts["previous"] }
    var next: String { texts["next"] }
    var actions: String { texts["actions"] }
    var search: String { texts["search"] }
    var all: String { texts["all"] }
    var none: String { texts["none"] }
    var yes: String { texts["yes"] }
    var no: String { texts["no"] }
    var save: String { texts["save"] }
    var sure: String { texts["sure"] }
    var asTable: String { texts["asTable"] }
    func role(_ role: ConsoleRole) -> String {
        switch role {
        case .viewer: texts["role.viewer"]
        case .support: texts["role.support"]
        case .operator: texts["role.operator"]
        case .owner: texts["role.owner"]
        }
    }
    /// A length of time that may be many days.
    func duration(_ seconds: Int) -> String {
        seconds < 172_800 ? TimeWords(texts.table).duration(seconds) : texts["days", count: seconds / 86_400]
    }
    func range(_ first: Int, _ last: Int, of total: Int) -> String {
        texts["range", ["first": first, "last": last, "total": total]]
    }
}

extension Language {
    /// Whether it has the texts of the console in its own words.
    var speaksConsole: Bool { table.patterns["console.title"] != nil }
}
