private import Yams

/// Turns a text of YAML 1.2, and so of JSON, into nodes with their places.
///
/// The only file that knows Yams. What Yams accepts and a configuration must not (anchors and aliases, keys that
/// are not text, depth and size beyond the limits) is refused here; a key that stands twice, where Yams would stop,
/// is noted and reading goes on.
struct YAMLReader {
    private let reading: ConfigurationReading
    private var text: String
    /// Keys that were made different to get past Yams: stand-in scalar → the scalar it replaced.
    private var standIns: [Unicode.Scalar: Unicode.Scalar] = [:]
    private var duplicatesFound = 0
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
        text = SurrogatePairs.joined(text)
        var lastDuplicate: Mark?
        while true {
            do {
                // The parser outlives the conversion, because it owns the anchors that the nodes refer to.
                let parser = try Parser(yaml: text, encoding: .utf8)
                let root = try parser.singleRoot()
                let result = withExtendedLifetime(parser) { root.flatMap { convert($0, path: "", depth: 1) } }
                if let lastDuplicate, duplicatesFound < standIns.count { noteDuplicate(at: lastDuplicate) }
                return isRefused ? nil : result ?? ConfigurationNode(origin: .whole, content: .map([]))
            } catch YamlError.duplicatedKeysInMapping(_, let context) {
                lastDuplicate = context.mark
                guard makeDifferent(at: context.mark) else {
                    noteDuplicate(at: context.mark)
                    return nil
                }
            } catch {
                if let lastDuplicate { noteDuplicate(at: lastDuplicate) }
                noteSyntax(error)
                return nil
            }
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
        var places: [String: ConfigurationProblem.Origin] = [:]
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
            let key = restored(scalar.string)
            let keyPath = path.isEmpty ? Printable.text(key) : "\(path).\(Printable.text(key))"
            if let first = places[key] {
                duplicatesFound += 1
                let line = if case .file(let line, _) = first { " on line \(line)" } else { "" }
                reading.mistake(
                    keyPath, at: origin, "this key stands here twice; it is already\(line)",
                    "Remove one of the two, or join their values.")
                continue
            }
            places[key] = origin
            guard let value = convert(valueNode, path: keyPath, depth: depth + 1) else { continue }
            result.append(ConfigurationNode.Entry(key: key, origin: origin, value: value))
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

    // MARK: Duplicate keys

    /// Replaces the first letter of the key at `mark` with a character that no key has, so that Yams goes on to the next
    /// mistake. Columns stay as they were.
    private mutating func makeDifferent(at mark: Mark) -> Bool {
        guard standIns.count < ConfigurationLimits.duplicatesMax else { return false }
        guard let standIn = Unicode.Scalar(0xE000 + UInt32(standIns.count)) else { return false }
        var scalars = Array(text.unicodeScalars)
        guard var index = offset(of: mark, in: scalars) else { return false }
        if scalars[index] == "\"" || scalars[index] == "'" { index += 1 }
        guard index < scalars.count, !scalars.contains(standIn) else { return false }
        standIns[standIn] = scalars[index]
        scalars[index] = standIn
        var patched = String.UnicodeScalarView()
        patched.append(contentsOf: scalars)
        text = String(patched)
        return true
    }

    private func restored(_ key: String) -> String {
        guard let first = key.unicodeScalars.first, let original = standIns[first] else { return key }
        var scalars = String.UnicodeScalarView()
        scalars.append(original)
        scalars.append(contentsOf: key.unicodeScalars.dropFirst())
        return String(scalars)
    }

    /// The index of the scalar at `mark`, with lines as libyaml counts them.
    private func offset(of mark: Mark, in scalars: [Unicode.Scalar]) -> Int? {
        var index = 0
        var line = 1
        while line < mark.line, index < scalars.count {
            let isPair = scalars[index] == "\r" && index + 1 < scalars.count && scalars[index + 1] == "\n"
            if ["\n", "\r", "\u{85}", "\u{2028}", "\u{2029}"].contains(scalars[index]) { line += 1 }
            index += isPair ? 2 : 1
        }
        index += mark.column - 1
        return line == mark.line && index < scalars.count ? index : nil
    }

    private func noteDuplicate(at mark: Mark) {
        reading.mistake(
            "", at: place(mark), "this key stands here twice", "Remove one of the two, or join their values.")
    }

    // MARK: Syntax

    private func noteSyntax(_ error: any Error) {
        let advice = "Check indentation (spaces, never tabs), quotes and brackets here and on the line before."
        switch error {
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
