internal import KeyturnBase

/// One mapping of the file while it is read: hands out the values of its keys, and notes what is wrong with them.
///
/// A value that is absent, or that was refused, is `nil`: readers go on with the default, so that one pass finds
/// every mistake.
struct Section {
    let path: String
    let origin: ConfigurationProblem.Origin
    let reading: ConfigurationReading
    private let entries: [String: ConfigurationNode.Entry]

    /// - Parameter keys: The keys that may stand here; `nil` if any may.
    init(_ node: Located<ConfigurationNode>, keys: [String]?, reading: ConfigurationReading) {
        path = node.path
        origin = node.origin
        self.reading = reading
        guard case .map(let found) = node.value.content else {
            if !node.value.isNull {
                reading.mistake(
                    node.path, at: node.origin, "expected a group of keys, found \(node.value.kind)",
                    "Write the keys below it, indented, each as \"key: value\".")
            }
            entries = [:]
            return
        }
        entries = Dictionary(found.map { ($0.key, $0) }) { first, _ in first }
        if let keys { refuseUnknown(found, keys: keys) }
    }

    /// The keys that have a value, in alphabetical order.
    var keys: [String] {
        entries.filter { !$0.value.value.isNull }.keys.sorted()
    }

    /// Whether the key has a value at all, of whatever type.
    func has(_ key: String) -> Bool {
        node(key) != nil
    }

    /// Whether the key is there without a value: YAML takes what follows a `#` for a comment.
    func isEmpty(_ key: String) -> Bool {
        entries[key]?.value.isNull == true
    }

    /// The key's path from the root of the file.
    func path(of key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    func mistake(_ key: String, _ detail: String, _ remedy: String) {
        reading.mistake(path(of: key), at: place(of: key), detail, remedy)
    }

    func warning(_ key: String, _ detail: String, _ remedy: String) {
        reading.warning(path(of: key), at: place(of: key), detail, remedy)
    }

    /// The raw value; `nil` if the key is absent or null.
    func node(_ key: String) -> Located<ConfigurationNode>? {
        guard let node = entries[key]?.value, !node.isNull else { return nil }
        return Located(value: node, path: path(of: key), origin: node.origin)
    }

    func text(_ key: String, bytesMax: Int = ConfigurationLimits.textBytesMax) -> Located<String>? {
        node(key).flatMap { text(in: $0, bytesMax: bytesMax) }
    }

    func secret(_ key: String) -> Secret? {
        guard let text = text(key, bytesMax: ConfigurationLimits.secretBytesMax) else { return nil }
        return reading.check(TextRules.secret(text.value), text) ? Secret(text.value) : nil
    }

    /// Refuses a shared secret that can be guessed, and warns of one that may be. In development any will do.
    func checkStrength(of text: Located<String>) {
        guard !reading.isDevelopment else { return }
        let count = text.value.utf8.count
        let remedy =
            "Use \(ConfigurationLimits.sharedSecretBytesGood) random characters or more: openssl rand -base64 32"
        if count < ConfigurationLimits.sharedSecretBytesMin {
            reading.mistake(text.path, at: text.origin, "a secret of \(count) bytes is guessed in no time", remedy)
        } else if count < ConfigurationLimits.sharedSecretBytesGood {
            reading.warning(text.path, at: text.origin, "\(count) bytes are few for a secret", remedy)
        }
    }

    func boolean(_ key: String) -> Bool? {
        guard let node = node(key) else { return nil }
        guard let value = node.value.boolean else {
            mistake(key, "expected true or false, found \(node.value.kind)", "Write true or false, without quotes.")
            return nil
        }
        return value
    }

    func integer(_ key: String, within range: ClosedRange<Int>, hint: String = "") -> Int? {
        guard let node = node(key) else { return nil }
        guard let value = node.value.integer else {
            mistake(
                key, "expected a whole number, found \(node.value.kind)", "Write it in digits, without quotes or unit.")
            return nil
        }
        guard range.contains(value) else {
            let bounds = "Choose a number from \(range.lowerBound) to \(range.upperBound)."
            mistake(key, "\(value) is out of bounds", hint.isEmpty ? bounds : "\(bounds) \(hint)")
            return nil
        }
        return value
    }

    /// One of a closed set of words.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: String, of type: Choice.Type) -> Choice? {
        guard let text = text(key) else { return nil }
        if let choice = Choice(rawValue: text.value) { return choice }
        let words = Choice.allCases.map(\.rawValue)
        mistake(
            key, "\"\(Printable.text(text.value))\" is not one of the choices",
            "Choose one of: \(words.joined(separator: ", ")).")
        return nil
    }

    /// The elements of a list; `nil` if the key is absent or no list.
    func nodes(_ key: String) -> [Located<ConfigurationNode>]? {
        guard let node = node(key) else { return nil }
        guard case .list(let elements) = node.value.content else {
            mistake(
                key, "expected a list, found \(node.value.kind)",
                "Put it in brackets, [ like, this ], or on lines that begin with \"- \".")
            return nil
        }
        return elements.enumerated().map { index, element in
            Located(value: element, path: "\(node.path)[\(index)]", origin: element.origin)
        }
    }

    func texts(_ key: String, bytesMax: Int = ConfigurationLimits.textBytesMax) -> [Located<String>]? {
        nodes(key)?.compactMap { text(in: $0, bytesMax: bytesMax) }
    }

    func section(_ key: String, keys: [String]?) -> Section? {
        node(key).map { Section($0, keys: keys, reading: reading) }
    }

    func sections(_ key: String, keys: [String]?) -> [Section] {
        (nodes(key) ?? []).map { Section($0, keys: keys, reading: reading) }
    }

    /// Where to look for a fault of the key: at its value, or at the key itself if the value fills further lines.
    private func place(of key: String) -> ConfigurationProblem.Origin {
        guard let entry = entries[key] else { return origin }
        if case .scalar = entry.value.content { return entry.value.origin }
        return entry.origin
    }

    private func text(in node: Located<ConfigurationNode>, bytesMax: Int) -> Located<String>? {
        guard let text = node.value.text else {
            reading.mistake(
                node.path, at: node.origin, "expected text, found \(node.value.kind)",
                "Put text in quotes where YAML would take it for something else.")
            return nil
        }
        let located = Located(value: text, path: node.path, origin: node.origin)
        return reading.check(TextRules.length(text, bytesMax: bytesMax), located) ? located : nil
    }

    private func refuseUnknown(_ found: [ConfigurationNode.Entry], keys: [String]) {
        for entry in found where !keys.contains(entry.key) && !reading.isFull {
            let suggestion = Suggestion.nearest(to: entry.key, among: keys)
            reading.mistake(
                path(of: Printable.text(entry.key)), at: entry.origin, "unknown key",
                suggestion.map { "Did you mean \"\($0)\"?" } ?? "Known here: \(keys.sorted().joined(separator: ", ")).")
        }
    }
}

extension Section {
    /// A section that another reader has judged already: its mistakes are not noted again.
    func quietly(_ key: String) -> Section? {
        guard let node = node(key), case .map = node.value.content else { return nil }
        return section(key, keys: nil)
    }
}
