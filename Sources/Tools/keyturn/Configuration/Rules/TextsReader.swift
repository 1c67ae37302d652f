private import Foundation
internal import Texts

/// Reads `texts`: a folder of files, or the words themselves by language and key.
enum TextsReader {
    /// Most names that a warning lists.
    private static let namesMax = 5

    static func read(_ section: Section) -> TextCatalog {
        guard let node = section.node("texts") else { return .builtIn }
        var overrides = TextOverrides()
        if node.value.text != nil {
            guard let folder = section.text("texts") else { return .builtIn }
            addFiles(of: folder.value, to: &overrides, section)
        } else if let languages = section.section("texts", keys: nil) {
            for code in languages.keys {
                guard let words = languages.section(code, keys: nil) else { continue }
                add(words, code, to: &overrides)
            }
        }
        for flaw in overrides.flaws where flaw.file != nil {
            let place = flaw.line.map { "\(flaw.file ?? ""):\($0)" } ?? flaw.file ?? ""
            section.mistake(
                "texts", Printable.text("\(place): \(flaw.problem)"), "`keyturn config texts` prints what there is.")
        }
        do throws(TextProblem) {
            let catalog = try TextCatalog(overrides: overrides.files)
            warn(of: catalog, section)
            return catalog
        } catch {
            section.mistake("texts", Printable.text(error.description), "Correct it, or remove it.")
            return .builtIn
        }
    }

    private static func addFiles(of folder: String, to overrides: inout TextOverrides, _ section: Section) {
        let base = section.reading.folder.map { URL(fileURLWithPath: $0, isDirectory: true) }
        let path = URL(fileURLWithPath: folder, relativeTo: base).path
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            section.mistake(
                "texts", "the folder cannot be read",
                "Give its path from the folder of this file: \(Printable.text(path)).")
            return
        }
        let files = names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }.sorted()
        if files.isEmpty {
            section.warning("texts", "the folder holds no file such as de.json", "Put one there, or remove the key.")
        }
        for name in files.prefix(TextLimits.languagesMax) {
            let bytes = ConfigurationFile.bytes("\(path)/\(name)", max: TextLimits.fileBytesMax + 1)
            let source = bytes.flatMap { bytes in
                bytes.count <= TextLimits.fileBytesMax ? String(validating: bytes, as: UTF8.self) : nil
            }
            overrides.add(file: name, source: source)
        }
    }

    /// The words of one language, each checked where it stands.
    private static func add(_ words: Section, _ code: String, to overrides: inout TextOverrides) {
        var texts: [String: String] = [:]
        collect(words, below: "", into: &texts)
        let before = overrides.flaws.count
        overrides.add(language: code, texts: texts)
        for flaw in overrides.flaws.dropFirst(before) {
            let (place, key) = find(flaw.problem.key, in: words)
            place.mistake(key, Printable.text(flaw.problem.reason), remedy(flaw.problem.key))
        }
    }

    private static func remedy(_ key: String) -> String {
        let known = TextCatalog.builtIn.english.sources
        if let english = known[key] { return "In English it is: \(Printable.text(english))" }
        return Suggestion.nearest(to: key, among: known.keys.sorted()).map { "Did you mean \"\($0)\"?" }
            ?? "`keyturn config texts` prints all keys."
    }

    private static func collect(_ section: Section, below prefix: String, into texts: inout [String: String]) {
        for key in section.keys {
            let path = prefix.isEmpty ? key : "\(prefix).\(key)"
            if case .map? = section.node(key)?.value.content {
                if let inner = section.section(key, keys: nil), prefix.count < 64 {
                    collect(inner, below: path, into: &texts)
                }
            } else if let text = section.text(key, bytesMax: TextLimits.textBytesMax) {
                texts[path] = text.value
            }
        }
    }

    /// The section that holds a key, written as a whole or in groups.
    private static func find(_ key: String, in section: Section) -> (Section, String) {
        guard !section.has(key) else { return (section, key) }
        for group in section.keys where key.hasPrefix("\(group).") {
            if case .map? = section.node(group)?.value.content, let inner = section.quietly(group) {
                return find(String(key.dropFirst(group.count + 1)), in: inner)
            }
        }
        return (section, key)
    }

    private static func warn(of catalog: TextCatalog, _ section: Section) {
        for (code, keys) in catalog.missing.sorted(by: { $0.key < $1.key }) {
            let more = keys.count > namesMax ? " and \(keys.count - namesMax) more" : ""
            section.warning(
                "texts",
                "\(code) lacks \(keys.count) texts, which are shown in English: "
                    + keys.prefix(namesMax).joined(separator: ", ") + more,
                "`keyturn config texts --language \(code) --missing --config FILE` prints them.")
        }
    }
}
