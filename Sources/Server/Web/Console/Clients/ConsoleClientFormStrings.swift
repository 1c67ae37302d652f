internal import Model
internal import Texts

/// What the form of a client says.
struct ConsoleClientFormStrings: PageTexts {
    static let group = "consoleClientForm"
    let texts: TextGroup

    var newTitle: String { texts["newTitle"] }
    func editTitle(_ name: String) -> String { texts["editTitle", ["name": name]] }
    var lead: String { texts["lead"] }
    var idHint: String { texts["idHint"] }
    var nameHint: String { texts["nameHint"] }
    var publicHint: String { texts["publicHint"] }
    var confidentialHint: String { texts["confidentialHint"] }
    var redirectURIs: String { texts["redirectURIs"] }
    var redirectHint: String { texts["redirectHint"] }
    var postLogoutRedirectURIs: String { texts["postLogoutRedirectURIs"] }
    var postLogoutHint: String { texts["postLogoutHint"] }
    var scope: String { texts["scope"] }
    var scopeHint: String { texts["scopeHint"] }
    var firstParty: String { texts["firstParty"] }
    var firstPartyHint: String { texts["firstPartyHint"] }
    /// What is an owner's.
    var ownersPart: String { texts["ownersPart"] }
    var ownerNeeded: String { texts["ownerNeeded"] }
    var register: String { texts["register"] }
    func mistakes(_ count: Int) -> String { texts["mistakes", count: count] }
    var mistake: ConsoleClientMistakeStrings { ConsoleClientMistakeStrings(texts.table) }
}
