internal import KeyturnBase

/// A value of the file as it was written, with its place: what is left when YAML has been taken away.
struct ConfigurationNode: Sendable {
    /// How a scalar was written, which decides what it can mean.
    enum Style: Sendable {
        /// Without quotes: may be a number, a truth value or text.
        case plain
        /// In quotes, or as a block: text and nothing else.
        case quoted
        /// In an environment variable, where everything is text: means whatever its key asks for.
        case environment
    }

    /// One `key: value` of a mapping.
    struct Entry: Sendable {
        let key: String
        let origin: ConfigurationProblem.Origin
        var value: ConfigurationNode
    }

    /// The three shapes of YAML.
    indirect enum Content: Sendable {
        case scalar(String, Style)
        case list([ConfigurationNode])
        case map([Entry])
    }

    let origin: ConfigurationProblem.Origin
    var content: Content

    /// Nothing at all: `key:`, `~` or `null`. Reads as if the key were absent.
    var isNull: Bool {
        guard case .scalar(let text, .plain) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// What it is, for people: `a list`.
    var kind: String {
        if isNull { return "nothing" }
        switch content {
        case .list: return "a list"
        case .map: return "a group of keys"
        case .scalar(_, .plain):
            if boolean != nil { return "a truth value" }
            return integer == nil ? "text" : "a number"
        case .scalar: return "text"
        }
    }

    /// Text: anything in quotes, and anything else that YAML does not read as a truth value. Numbers are taken as
    /// they are written, so that an identifier `0123` keeps its zero.
    var text: String? {
        guard case .scalar(let text, let style) = content, !isNull else { return nil }
        return style == .plain && boolean != nil ? nil : text
    }

    /// `true` or `false`, in the spellings of YAML 1.2.
    var boolean: Bool? {
        guard case .scalar(let text, let style) = content, style != .quoted else { return nil }
        switch text {
        case "true", "True", "TRUE": return true
        case "false", "False", "FALSE": return false
        default: return nil
        }
    }

    /// A whole number in decimal digits.
    var integer: Int? {
        guard case .scalar(let text, let style) = content, style != .quoted else { return nil }
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let isCanonical = digits == "0" || digits.first.map { ("1"..."9").contains($0) } == true
        return isCanonical ? Int(text) : nil
    }

    /// The same as JSON. Plain scalars are numbers exactly where JSON would say so: `+1555` and `007` are text.
    var json: JSONValue {
        if isNull { return .null }
        switch content {
        case .list(let nodes): return .array(nodes.map(\.json))
        case .map(let entries):
            return .object(Dictionary(entries.map { ($0.key, $0.value.json) }) { first, _ in first })
        case .scalar(let text, .plain):
            if let boolean { return .bool(boolean) }
            guard let first = text.utf8.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first) else {
                return .string(text)
            }
            return (try? JSONValue(parsing: text.utf8)) ?? .string(text)
        case .scalar(let text, _): return .string(text)
        }
    }
}
