internal import Texts

/// What the settings say about identities at providers.
struct ConnectionsStrings: PageTexts {
    static let group = "connections"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var none: String { texts["none"] }
    var link: String { texts["link"] }
    func linked(_ provider: String) -> String { texts["linked", ["provider": provider]] }
    var unlink: String { texts["unlink"] }
    var unlinkSure: String { texts["unlinkSure"] }
    func facts(_ linked: String, _ used: String) -> String { texts["facts", ["linked": linked, "used": used]] }
    var lastWay: String { texts["lastWay"] }
    func done(_ isLinked: Bool) -> String { isLinked ? texts["done.linked"] : texts["done.unlinked"] }
    func count(_ count: Int) -> String { texts["count", count: count] }
}
