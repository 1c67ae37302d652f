internal import Foundation

/// Writes a Swift file that holds templates or texts: a constant for each, named like its file, and a list of all.
///
/// A part that no file holds (`{{> part}}`), two files of one name, and names that are no identifiers end the build. What
/// is in a file of texts is the matter of a test.
@main
struct TemplateTable {
    /// Arguments: the type of the constants, the file to write, then the templates.
    static func main() {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            guard arguments.count >= 2 else { throw Flaw(text: "there is no file to write to") }
            let output = arguments[1]
            let table = TemplateTable(type: arguments[0], templates: try arguments.dropFirst(2).map(Template.init))
            try table.check()
            try table.text.write(toFile: output, atomically: true, encoding: .utf8)
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(1)
        }
    }

    private struct Flaw: Error, CustomStringConvertible {
        let text: String
        var description: String { text }
    }

    private struct Template {
        let path: String
        let name: String
        let source: String

        init(_ path: String) throws {
            self.path = path
            name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
            source = try String(contentsOfFile: path, encoding: .utf8)
        }

        /// The templates that it includes.
        var parts: [String] { source.matches(of: /{{>\s*([^\s}]+)\s*}}/).map { String($0.1) } }
    }

    private let type: String
    private let templates: [Template]

    private func check() throws {
        let byName = Dictionary(grouping: templates, by: \.name)
        for template in templates {
            guard template.name.wholeMatch(of: /[a-z][A-Za-z0-9]*/) != nil else {
                throw Flaw(text: "\(template.path): a template has a name like goodName")
            }
            let alike = byName[template.name] ?? []
            guard alike.count == 1 else {
                throw Flaw(text: "two templates have one name: \(alike.map(\.path).joined(separator: ", "))")
            }
            for part in template.parts where byName[part] == nil {
                throw Flaw(text: "\(template.path): there is no template \(part)")
            }
        }
    }

    private var text: String {
        let constants = templates.map {
            "    static let `\($0.name)` = \(type)(name: \"\($0.name)\", source: \(Self.literal($0.source)))"
        }
        let names = templates.map { ".\($0.name)" }.joined(separator: ", ")
        return """
            extension \(type) {
            \(constants.joined(separator: "\n"))

                static let all: [\(type)] = [\(names)]
            }

            """
    }

    private static func literal(_ text: String) -> String {
        let escapes: [Character: String] = ["\\": "\\\\", "\"": "\\\"", "\n": "\\n", "\r": "\\r", "\r\n": "\\r\\n"]
        return "\"" + text.map { escapes[$0] ?? String($0) }.joined() + "\""
    }
}
