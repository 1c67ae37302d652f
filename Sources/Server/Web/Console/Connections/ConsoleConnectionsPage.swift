internal import Authority
internal import Model

/// The connections to identity providers, and the form that makes one.
struct ConsoleConnectionsPage: ConsolePage {
    enum Kind: Sendable {
        case openID, saml, ldap
    }

    struct Row: Sendable {
        let id: String
        let name: String
        let kind: Kind
        /// The name of its tenant; `nil`: all users see it.
        let tenant: String?
        let domains: [String]
        let isEnabled: Bool
        /// Whether the configuration file decides about it.
        let isOfFile: Bool
    }

    static let template = PageTemplate.consoleConnections
    static let section = ConsoleSection.connections
    let visitor: ConsoleVisitor
    let form: PageForm
    let connections: [Row]
    /// Identifiers of connections whose settings this server cannot open.
    let unreadable: [String]
    /// `nil`: nothing yet.
    var typed: String?
    var isUnreadable = false
    var problem: String?
    /// What only an owner may say, if that was tried.
    var ownersMembers: [String]?
    var wasRemoved = false

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleConnectionsStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "mayChange": visitor.may(.operator),
            "hasConnections": !connections.isEmpty, "typed": typed ?? Self.example, "isOpen": typed != nil,
            "connections": connections.map { row($0, text, strings) },
            "unreadable": unreadable.map(text.unreadable),
        ]
        values["problem"] = isUnreadable ? text.noJSON : ownersMembers.map(text.ownerNeeded) ?? problem
        if !visitor.may(.owner) { values["ownersPart"] = text.ownersPart }
        if wasRemoved { values["notice"] = text.removed }
        return form.values(values)
    }

    private func row(_ row: Row, _ text: ConsoleConnectionsStrings, _ strings: Strings) -> [String: Any] {
        [
            "uri": ConsoleMiddleware.address(ConsoleConnectionPage.path, ["id": row.id]), "id": row.id,
            "name": row.name, "kind": text.kind(row.kind), "tenant": row.tenant ?? strings[ConsoleStrings.self].all,
            "domains": row.domains.joined(separator: ", "), "isEnabled": row.isEnabled,
            "state": row.isEnabled ? text.enabled : text.disabled, "isOfFile": row.isOfFile,
        ]
    }

    /// The shortest connection that works, with a provider of one's own.
    static let example = """
        {
          "id": "acme",
          "type": "openid",
          "name": "Acme",
          "issuer": "https://login.acme.example",
          "client_id": "keyturn",
          "client_secret": ""
        }
        """
}
