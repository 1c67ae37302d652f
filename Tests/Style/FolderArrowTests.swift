import Foundation
import Testing

@Suite("Style: no circle between the folders of a target")
struct FolderArrowTests {
    /// Targets whose folders still need each other. The list may only shrink.
    static let knots: Set<String> = []

    /// The arrows of every target in the manifest, by its folder.
    static let drawn: [String: FolderArrows] = {
        let path = SourceTree.root.appendingPathComponent("Package.swift")
        let manifest = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        return draw(over: manifest.matches(of: #/\bpath: "([\w/]+)"/#).map { String($0.1) })
    }()

    private static func draw(over targets: [String]) -> [String: FolderArrows] {
        var sources: [String: [FolderArrows.Source]] = [:]
        for file in StyleTests.everything {
            // A target may lie within another's folder.
            let target = targets.filter { file.path.hasPrefix($0 + "/") }.max { $0.count < $1.count }
            guard let target else { continue }
            sources[target, default: []].append(.init(file.path, file.lines.joined(separator: "\n")))
        }
        let members = sources.mapValues { files in
            files.reduce(into: Set<String>()) { $0.formUnion($1.outline.members) }
        }
        return Dictionary(
            uniqueKeysWithValues: sources.map { target, files in
                let foreign = members.filter { $0.key != target && $0.key.hasPrefix("Sources/") }
                let names = foreign.values.reduce(into: Set<String>()) { $0.formUnion($1) }
                return (target, FolderArrows(files, below: target, foreignMembers: names))
            })
    }

    @Test func `the folders of a target have an order`() {
        #expect(Self.drawn.count > 30)
        #expect((Self.drawn["Sources/SDK/Client"]?.arrows.count ?? 0) > 10, "the arrows of the client are drawn")
        for (target, arrows) in Self.drawn.sorted(by: { $0.key < $1.key }) where !Self.knots.contains(target) {
            let circle = arrows.shortestCircle.map(\.description).joined(separator: "\n")
            #expect(circle.isEmpty, "\(target): the folders need each other:\n\(circle)")
        }
    }

    @Test func `a target without a circle leaves the list`() {
        for target in Self.knots {
            #expect(
                Self.drawn[target]?.shortestCircle.isEmpty == false,
                "\(target) has no circle any more: take it out of the list")
        }
    }

    private func circle(_ sources: [String: String]) -> [String] {
        let files = sources.sorted { $0.key < $1.key }.map { FolderArrows.Source("T/\($0.key)", $0.value) }
        return FolderArrows(files, below: "T").shortestCircle.map(\.description)
    }

    @Test func `two types that name each other are a circle`() {
        #expect(
            circle([
                "A/One.swift": "/// Knows B.\nstruct One {\n    let two: Two\n}",
                "B/Two.swift": "enum Two { case two(any Third) }\nfunc f(_: [One]) {}",
                "B/Third.swift": "protocol Third {}",
            ]) == ["A → B: T/A/One.swift:3 names Two", "B → A: T/B/Two.swift:2 names One"])
    }

    @Test func `a member that another folder adds is an arrow to it`() {
        let sources = [
            "Root.swift": "final class Root { let session = Session() }",
            "Session/Session.swift": "struct Session {}\nfunc end(_ root: Root) { root.vault.lock() }",
            "Vault/Vault.swift":
                "extension Root {\n    var vault: Vault { Vault() }\n}\nstruct Vault { var s: Session }",
        ]
        #expect(
            circle(sources) == [
                "Session → Vault: T/Session/Session.swift:2 names vault",
                "Vault → Session: T/Vault/Vault.swift:4 names Session",
            ])
        // Without a point, in an extension of the same type.
        var others = sources
        others["Session/Session.swift"] = "struct Session {}\nextension Root {\n    func end() { vault.lock() }\n}"
        #expect(circle(others).first == "Session → Vault: T/Session/Session.swift:3 names vault")
        // Not what only sounds like it.
        others["Session/Session.swift"] =
            "struct Session {}\nextension Root {\n    func end(vault: Int) { f(vault) }\n}"
        #expect(circle(others) == [])
    }

    @Test func `a type that stands in an extension is an arrow to its folder`() {
        #expect(
            circle([
                "A/One.swift": "struct One {}", "B/Two.swift": "extension One { struct Detail {} }",
                "A/Use.swift": "let x = One.Detail()",
            ]) == ["A → B: T/A/Use.swift:1 names Detail", "B → A: T/B/Two.swift:1 names One"])
    }

    @Test func `the shortest circle is shown`() {
        let sources = [
            "A/One.swift": "struct One { let two: Two }", "B/Two.swift": "struct Two { let three: Three }",
            "C/Three.swift": "struct Three { let one: One }",
        ]
        #expect(circle(sources).count == 3)
        var more = sources
        more["C/More.swift"] = "typealias More = Two"
        #expect(circle(more).count == 2)
    }

    @Test(arguments: [
        "// Two", "/* /* Two */ Two */", "let x = \"Two\"", "let x = #\"\\(Two) \"Two\" \\\"#",
        "let x = \"\"\"\n    Two \" Two\n    \"\"\"", "let x = #/Two\\/\"/#", "import struct Foundation.Two",
        "func f() { struct Two {} }; struct Two {}", "extension X { enum Two {} }\nlet x: X.Two",
    ])
    func `what is no name of that type draws nothing`(_ text: String) {
        #expect(circle(["A/One.swift": "struct One {}\n\(text)", "B/Two.swift": "struct Two { let one: One }"]) == [])
    }

    @Test(arguments: [
        "let x = \"\\(Two.x)\"", "let x = #\"\\#(Two.x)\"#", "let x = \"a\" + f(\"\\(g(\")\"))\") as Two",
        "let x = \"\"\"\n    \\(Two.x)\n    \"\"\"", "/* \" */ let x: Two", "let x = \"\\\"\", y: Two",
        "let x = #/\"/#, y: Two",
        "#if os(Linux)\n    let x: Two\n#endif", "let `default`: Two", "@Two struct Three {}",
    ])
    func `what is a name of that type draws an arrow`(_ text: String) {
        let found = circle(["A/One.swift": "struct One {}\n\(text)", "B/Two.swift": "struct Two { let one: One }"])
        #expect(found.count == 2 && found[0].hasPrefix("A → B: ") && found[0].hasSuffix("names Two"))
    }

    @Test func `a name of two folders, and a file beside the folders, draw nothing`() {
        let one = "struct One { let two: Two }"
        #expect(circle(["A/One.swift": one, "B/Two.swift": "struct Two { let one: One }"]).count == 2)
        #expect(
            circle(["A/One.swift": one, "B/Two.swift": "struct Two { let one: One }", "C/Two.swift": "struct Two {}"])
                == [])
        #expect(circle(["One.swift": one, "B/Two.swift": "struct Two { let one: One }"]) == [])
    }
}
