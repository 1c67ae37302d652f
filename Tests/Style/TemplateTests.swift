import Foundation
import Testing

@Suite("Style: the templates of pages")
struct TemplateTests {
    private struct Template {
        let name: String
        /// From the root of the repository.
        let folder: String
        let text: String
    }

    private static let templates: [Template] = {
        let folder = "Sources/Server/Web"
        let root = SourceTree.root.appendingPathComponent(folder)
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".mustache") }.sorted().compactMap { path in
            let file = root.appendingPathComponent(path)
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
            return Template(
                name: file.deletingPathExtension().lastPathComponent,
                folder: "\(folder)/\(path.split(separator: "/").dropLast().joined(separator: "/"))", text: text)
        }
    }()

    static func template(_ name: String) throws -> String {
        try #require(templates.first { $0.name == name }).text
    }

    @Test func `every template is used by a page or by another template`() {
        let code = SourceTree.swiftFiles(below: ["Sources/Server/Web"]).flatMap(\.lines).joined(separator: "\n")
        let pages = code.matches(of: #/\bPageTemplate\.(\w+)/#).map { String($0.1) }
        let parts = Self.templates.flatMap { $0.text.matches(of: #/{{> (\w+)}}/#).map { String($0.1) } }
        #expect(pages.count > 30 && parts.count > 20)
        #expect(Set(Self.templates.map(\.name)).subtracting(pages + parts) == [])
    }

    /// `{{text.lead}}` is a member of the strings in the template's folder, and `{{settings.save}}` one of those that
    /// the settings share. A name that is no member would be an empty text on the page.
    @Test func `every text that a template names is one of its page`() {
        let shared = Self.members("Sources/Server/Web/Settings/SettingsStrings.swift")
        var count = 0
        for template in Self.templates {
            let own = Self.members(template.folder + "/")
            for match in template.text.matches(of: #/{{[#^\/]?(text|settings)\.(\w+)/#) {
                count += 1
                let known = match.1 == "text" ? own : shared
                #expect(known.contains(String(match.2)), "\(template.folder)/\(template.name).mustache: \(match.2)")
            }
        }
        #expect(count > 80)
    }

    /// The constants of the strings whose paths begin so.
    private static func members(_ path: String) -> Set<String> {
        let files = SourceTree.swiftFiles(below: ["Sources/Server/Web"]).filter {
            $0.path.hasPrefix(path) && $0.path.hasSuffix("Strings.swift")
        }
        return Set(
            files.flatMap(\.lines).compactMap {
                $0.firstMatch(of: #/^    (?:let|var|func) `?(\w+)`?[:(]/#).map { String($0.1) }
            })
    }
}
