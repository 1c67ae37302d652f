internal import Keyturn
internal import KeyturnBase

/// What a sign-in tells at its end: who signed in where, and where the session lies.
struct LoginReport {
    let name: String
    let choice: ServiceChoice
    /// As they are named to themselves; safe to print.
    let person: String
    /// `nil`: that cannot be said.
    let place: SessionPlace?

    /// - Parameters:
    ///   - json: One object instead of text.
    ///   - more: Further members of the object.
    ///   - note: A further sentence of the text.
    func show(json: Bool, _ more: [String: JSONValue], note: String? = nil) {
        guard !json else {
            let members: [String: JSONValue] = [
                "name": .string(name), "issuer": .string(choice.issuer), "client_id": .string(choice.clientID),
            ]
            return Report.json(
                .object(members.merging(Self.members(place)) { $1 }.merging(more) { $1 }))
        }
        let lines = ["Signed in as \(person) at \(choice.issuer).", Self.sentence(place), note]
        Live.write(lines.compactMap(\.self).joined(separator: "\n") + "\n")
    }

    /// Where it lies, in one sentence.
    static func sentence(_ place: SessionPlace?) -> String? {
        switch place {
        case .keyring: return "The session is in the keyring."
        case .file(let folder):
            #if os(Linux)
                return "The session is in a sealed file, since no keyring is open: \(VisibleText.shown(folder))"
            #else
                return "The session is in a sealed file: \(VisibleText.shown(folder))"
            #endif
        case nil: return nil
        }
    }

    /// The same in a table.
    static func word(_ place: SessionPlace?) -> String {
        switch place {
        case .keyring: "keyring"
        case .file(let folder): VisibleText.shown(folder)
        case nil: "-"
        }
    }

    /// The same for programs.
    static func members(_ place: SessionPlace?) -> [String: JSONValue] {
        switch place {
        case .keyring: ["stored": "keyring"]
        case .file(let folder): ["stored": "file", "path": .string(folder)]
        case nil: [:]
        }
    }
}
