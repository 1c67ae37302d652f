import Foundation
import Testing

@Suite("Style: the templates of pages")
struct TemplateTests {
    /// The texts of the templates, by their names.
    private static let templates: [String: String] = {
        let folder = SourceTree.root.appendingPathComponent("Sources/Server/Web")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".mustache") }.reduce(into: [:]) { texts, path in
            let file = folder.appendingPathComponent(path)
            texts[file.deletingPathExtension().lastPathComponent] = try? String(contentsOf: file, encoding: .utf8)
        }
    }()

    static func template(_ name: String) throws -> String { try #require(templates[name]) }

    @Test func `every template is used by a page or by another template`() {
        let code = SourceTree.swiftFiles(below: ["Sources/Server/Web"]).flatMap(\.lines).joined(separator: "\n")
        let pages = code.matches(of: #/\bPageTemplate\.(\w+)/#).map { String($0.1) }
        let parts = Self.templates.values.flatMap { text in text.matches(of: #/{{> (\w+)}}/#).map { String($0.1) } }
        #expect(pages.count > 30 && parts.count > 20)
        #expect(Set(Self.templates.keys).subtracting(pages + parts) == [])
    }
}
