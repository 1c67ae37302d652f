internal import Model

/// A button that leads to an identity provider, with a mark of our own drawing: a letter on the provider's colour.
struct ProviderButton: Sendable {
    let id: String
    let name: String
    /// The preset; `nil`: none.
    var preset: String?
    /// Whether this browser used it last.
    var isLastUsed = false

    init(_ connection: Connection, isLastUsed: Bool = false) {
        id = connection.id
        name = connection.name
        if case .openID(let settings) = connection.settings { preset = settings.preset }
        self.isLastUsed = isLastUsed
    }

    /// Of a connection that is no longer there.
    init(unknown id: String) {
        self.id = id
        name = id
    }

    /// A colour for each preset that has one, dark enough for a white letter (WCAG AA).
    private static let colours = [
        "google": "#1a5fb4", "apple": "#1c1c1e", "microsoft": "#0067b8", "entra-external-id": "#0067b8",
        "github": "#24292f", "github-enterprise": "#24292f", "facebook": "#0b5fcc", "linkedin": "#0a66c2",
        "discord": "#4752c4", "slack": "#4a154b", "gitlab": "#b5371f", "x": "#0f1419",
    ]

    /// - Parameter transaction: the sealed transaction that the sign-in belongs to.
    func values(_ strings: Strings, transaction: String) -> [String: Any] {
        let text = strings[FederationStrings.self]
        var values: [String: Any] = [
            "uri": "\(FederationGate.startPath(id))?transaction=\(transaction)", "label": text.continueWith(name),
            "mark": mark,
        ]
        if isLastUsed { values["lastUsed"] = text.lastUsed }
        return values
    }

    /// What the template of marks takes.
    var mark: [String: Any] {
        ["letter": String(name.prefix(1)).uppercased(), "colour": preset.flatMap { Self.colours[$0] } ?? "#5b5f66"]
    }
}
