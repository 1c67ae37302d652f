internal import KeyturnBase

/// JSON for the eyes of operators: a line for each member, in the order of their names.
enum ReadableJSON {
    static func text(_ value: JSONValue) -> String { text(value, indent: "") }

    private static func text(_ value: JSONValue, indent: String) -> String {
        let inner = indent + "  "
        func block(_ open: String, _ lines: [String], _ close: String) -> String {
            lines.isEmpty
                ? open + close : "\(open)\n\(inner)" + lines.joined(separator: ",\n\(inner)") + "\n\(indent)\(close)"
        }
        switch value {
        case .object(let members):
            let lines = members.sorted { $0.key < $1.key }.map { name, value in
                "\(plain(.string(name))): \(text(value, indent: inner))"
            }
            return block("{", lines, "}")
        case .array(let elements):
            return block("[", elements.map { text($0, indent: inner) }, "]")
        default: return plain(value)
        }
    }

    private static func plain(_ value: JSONValue) -> String { String(decoding: value.serialized, as: UTF8.self) }
}
