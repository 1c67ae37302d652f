internal import Authority
internal import Model

/// A connection: its settings, what to enter at the provider, and what can be done with it.
struct ConsoleConnectionPage: ConsolePage {
    enum Notice: String, Sendable, CaseIterable {
        case created, saved
        case enabled = "enable"
        case disabled = "disable"
    }

    static let path = "/admin/connections/connection"
    static let template = PageTemplate.consoleConnection
    static let section = ConsoleSection.connections
    static let name = "admin-connection"
    let visitor: ConsoleVisitor
    let form: PageForm
    let row: ConsoleConnectionsPage.Row
    /// Its settings as JSON, without secrets.
    let document: String
    /// Lines with what to enter at the provider.
    let entries: [String]
    /// Whether a browser can try it.
    let canBeTried: Bool
    var isUnreadable = false
    var problem: String?
    /// What only an owner may change, if that was tried.
    var ownersMembers: [String]?
    var notice: Notice?

    func title(_ strings: Strings) -> String { row.name }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleConnectionStrings.self]
        let list = strings[ConsoleConnectionsStrings.self]
        let console = strings[ConsoleStrings.self]
        var values: [String: Any] = [
            "heading": row.name, "text": text, "list": list, "id": row.id, "kind": list.kind(row.kind),
            "tenant": row.tenant ?? console.all,
            "domains": row.domains.isEmpty ? console.none : row.domains.joined(separator: ", "),
            "isEnabled": row.isEnabled, "state": row.isEnabled ? list.enabled : list.disabled,
            "mayChange": visitor.may(.operator), "mayEdit": visitor.may(.operator) && !row.isOfFile,
            "isOfFile": row.isOfFile, "document": document, "entries": entries, "hasEntries": !entries.isEmpty,
            "canBeTried": canBeTried, "save": console.save, "sure": text.sure(row.id),
            "back": ConsoleSection.connections.path, "backText": list.title,
        ]
        values["problem"] = isUnreadable ? list.noJSON : ownersMembers.map(list.ownerNeeded) ?? problem
        if !visitor.may(.owner) { values["ownersPart"] = list.ownersPart }
        if let notice { values["notice"] = text.notice(notice) }
        return form.values(values)
    }
}
