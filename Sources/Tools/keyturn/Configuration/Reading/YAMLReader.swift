private import Yams

/// Turns a text of YAML 1.2, and so of JSON, into nodes with their places.
///
/// The only file that knows Yams. What Yams accepts and a configuration must not (anchors and aliases, keys that
/// are not text, depth and size beyond the limits) is refused here. Yams stops at a mapping in which a key stands
/// twice, and so does the reading.
struct YAMLReader {
    private let reading: ConfigurationReading
    private let text: String
    private var nodes = 0
    private var isRefused = false

    /// The document's root, or `nil` with a mistake noted.
    static func read(_ text: String, reading: ConfigurationReading) -> ConfigurationNode? {
        var reader = YAMLReader(reading: reading, text: text)
        return reader.read()
    }

    private init(reading: ConfigurationReading, text: String) {
        self.reading = reading
        self.text = text
    }

    private mutating func read() -> ConfigurationNode? {
        guard text.utf8.count <= ConfigurationLimits.fileBytesMax else {
            refuse(
                .whole, "the file is longer than \(ConfigurationLimits.fileBytesMax >> 20) MiB",
                "Keep users and clients in the database, and only the first of them in the file.")
            return nil
        }
        guard !couldExpand(text) else {
            refuseAlias(at: .whole)
            return nil
        }
        do {
            // The parser outlives the conversion, because it owns the anchors that the nodes refer to.
            let parser = try Parser(yaml: SurrogatePairs.joined(text), encoding: .utf8)
            let root = try parser.singleRoot()
            let result = withExtendedLifetime(parser) { root.flatMap { convert($0, path: "", depth: 1) } }
            return isRefused ? nil : result ?? ConfigurationNode(origin: .whole, content: .map([]))
        } catch {
            noteSyntax(error)
            return nil
        }
    }

    // MARK: Conversion

    private mutating func convert(_ node: Node, path: String, depth: Int) -> ConfigurationNode? {
        guard !isRefused else { return nil }
        let origin = place(node.mark)
        nodes += 1
        guard depth <= ConfigurationLimits.depthMax, nodes <= ConfigurationLimits.nodesMax else {
            refuse(
                origin, depth > ConfigurationLimits.depthMax ? "it is nested too deep" : "the file has too many values",
                "At most \(ConfigurationLimits.depthMax) levels and \(ConfigurationLimits.nodesMax) values are read.")
            return nil
        }
        guard node.anchor == nil else {
            refuseAlias(at: origin)
            return nil
        }
        switch node {
        case .scalar(let scalar):
            let style: ConfigurationNode.Style = scalar.style == .plain ? .plain : .quoted
            return ConfigurationNode(origin: origin, content: .scalar(scalar.string, style))
        case .sequence(let sequence):
            let elements = sequence.enumerated().compactMap { index, element in
                convert(element, path: "\(path)[\(index)]", depth: depth + 1)
            }
            return ConfigurationNode(origin: origin, content: .list(elements))
        case .mapping(let mapping):
            return ConfigurationNode(origin: origin, content: .map(entries(mapping, path: path, depth: depth)))
        case .alias:
            refuseAlias(at: origin)
            return nil
        }
    }

    private mutating func entries(
        _ mapping: Node.Mapping, path: String, depth: Int
    ) -> [ConfigurationNode.Entry] {
        var result: [ConfigurationNode.Entry] = []
        var keys: Set<String> = []
        for (keyNode, valueNode) in mapping {
            let origin = place(keyNode.mark)
            guard keyNode.anchor == nil else {
                refuseAlias(at: origin)
                continue
            }
            guard case .scalar(let scalar) = keyNode else {
                reading.mistake(path, at: origin, "a key must be text", "Remove the brackets or the \"?\" before it.")
                continue
            }
            let keyPath = path.isEmpty ? Printable.text(scalar.string) : "\(path).\(Printable.text(scalar.string))"
            // For Yams 1 and "1" are different keys.
            guard keys.insert(scalar.string).inserted else {
                refuseDuplicates([scalar.string], at: origin)
                return []
            }
            guard let value = convert(valueNode, path: keyPath, depth: depth + 1) else { continue }
            result.append(ConfigurationNode.Entry(key: scalar.string, origin: origin, value: value))
        }
        return result
    }

    private func place(_ mark: Mark?) -> ConfigurationProblem.Origin {
        mark.map { .file(line: $0.line, column: $0.column) } ?? .whole
    }

    // MARK: Aliases

    /// Whether composing the document could take long: it may hold an anchor and many aliases. Counts more than
    /// there are, never fewer; real ones that pass are refused by ``convert(_:path:depth:)``.
    private func couldExpand(_ text: String) -> Bool {
        var anchors = 0
        var aliases = 0
        var previous: UInt8 = 0
        for byte in text.utf8 {
            let isName = byte >= 0x80 || byte == 0x2D || byte == 0x5F || (0x30...0x39).contains(byte)
            if isName || (0x61...0x7A).contains(byte | 0x20) {
                if previous == UInt8(ascii: "&") { anchors += 1 }
                if previous == UInt8(ascii: "*") { aliases += 1 }
            }
            previous = byte
        }
        return anchors > 0 && aliases > ConfigurationLimits.aliasesMax
    }

    private mutating func refuseAlias(at origin: ConfigurationProblem.Origin) {
        refuse(
            origin, "YAML anchors and aliases (&name, *name) are not accepted",
            "Write the value out in each place; put text that begins with & or * in quotes.")
    }

    // MARK: Syntax

    private mutating func refuseDuplicates(_ keys: [String], at origin: ConfigurationProblem.Origin) {
        let names = keys.map { "\"\(Printable.text($0))\"" }.joined(separator: ", ")
        refuse(
            origin, keys.count == 1 ? "the key \(names) stands twice in this group" : "keys stand twice here: \(names)",
            "Remove one of the two, or join their values.")
    }

    private mutating func noteSyntax(_ error: any Error) {
        let advice = "Check indentation (spaces, never tabs), quotes and brackets here and on the line before."
        switch error {
        case YamlError.duplicatedKeysInMapping(let keys, let context):
            refuseDuplicates(keys, at: place(context.mark))
        case YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _),
            YamlError.composer(_, let problem, let mark, _):
            if problem.contains("alias") {
                reading.mistake(
                    "", at: place(mark), "\(problem): YAML aliases are not accepted",
                    "Put text that begins with * in quotes.")
            } else {
                reading.mistake("", at: place(mark), "not YAML: \(problem)", advice)
            }
        case YamlError.reader(let problem, _, _, _):
            reading.mistake("", at: .whole, "not YAML: \(problem)", "Save the file as UTF-8 text.")
        default:
            reading.mistake("", at: .whole, "not YAML", advice)
        }
    }

    private mutating func refuse(_ origin: ConfigurationProblem.Origin, _ detail: String, _ remedy: String) {
        if !isRefused { reading.mistake("", at: origin, detail, remedy) }
        isRefused = true
    }
}
