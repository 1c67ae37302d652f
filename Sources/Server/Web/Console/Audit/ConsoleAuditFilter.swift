internal import KeyturnWire

/// The conditions of a look into the audit log, as they were typed. Empty ones say nothing.
struct ConsoleAuditFilter: Sendable {
    let action: String
    /// A login ID or an identifier.
    let user: String
    /// Who did it: a user's identifier, or as audit events name programs.
    let actor: String
    let text: String
    /// A day in UTC, such as `2026-11-22`.
    let from: String?
    let to: String?

    init(_ fields: FormParameters) {
        func value(_ name: String) -> String {
            String((fields.values(name).first ?? "").prefix(200))
        }
        action = value("action")
        user = value("user")
        actor = value("actor")
        text = value("text")
        from = value("from").isEmpty ? nil : value("from")
        to = value("to").isEmpty ? nil : value("to")
    }

    /// The conditions that say something, for the addresses of other pages.
    var query: KeyValuePairs<String, String?> {
        [
            "action": action.nonEmpty, "user": user.nonEmpty, "actor": actor.nonEmpty, "text": text.nonEmpty,
            "from": from, "to": to,
        ]
    }
}

extension String {
    /// `nil` in place of an empty text.
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
