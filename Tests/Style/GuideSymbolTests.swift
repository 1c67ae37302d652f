import Foundation
import Testing

/// Our guide for users of another vendor's SDK, and the document of that SDK. Documents are not ours, so they lie
/// outside of the repository.
struct VendorGuide: Sendable, CustomTestStringConvertible {
    /// The guide's name in `docs/coming-from`.
    let name: String
    /// The document's file name.
    let document: String
    /// Words of the document's examples that belong to the example or to another SDK.
    var others: Set<String> = []
    /// What the vendor calls in the app: in an example such a function looks like the app's own.
    var callbacks: Set<String> = []

    var testDescription: String { name }

    static let all = [
        VendorGuide(
            name: "authgear", document: "authgear-sdk.md",
            // An example's functions, and what the web's `fetch` takes.
            others: ["foobar", "onClickSave", "method", "headers", "body", "profile", "id_token"]),
        VendorGuide(name: "box", document: "box-authentication.md"),
        VendorGuide(name: "snapauth", document: "snapauth-client-sdks.md", others: ["MyView", "someAction"]),
        VendorGuide(
            name: "descope", document: "descopekit.md",
            others: ["MainViewController", "LoginViewController", "ServerError"],
            callbacks: ["flowViewControllerDidFinish"]),
        VendorGuide(name: "tim", document: "tim-ios.md", others: ["SceneDelegate"]),
    ]

    /// Where the documents are: in the folder that `KEYTURN_DOCUMENTS` names, beside the folder of the test vectors, or
    /// beside the repository; `nil`: nowhere.
    static let folder: URL? = {
        let environment = ProcessInfo.processInfo.environment
        let named = environment["KEYTURN_DOCUMENTS"].map { URL(fileURLWithPath: $0) }
        let vectors = environment["KEYTURN_VECTORS"].map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        let folder =
            named ?? vectors?.appendingPathComponent("documents")
            ?? SourceTree.root.appendingPathComponent("../shared/documents")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    /// The rows of the guide's tables: the words in the code of the first column, and the other columns.
    func rows() throws -> [(words: Set<String>, counterpart: String)] {
        let url = SourceTree.root.appendingPathComponent("docs/coming-from/\(name).md")
        return Self.rows(try String(contentsOf: url, encoding: .utf8))
    }

    static func rows(_ page: String) -> [(words: Set<String>, counterpart: String)] {
        page.split(separator: "\n").filter { $0.hasPrefix("| ") }.map { line in
            let cells = line.dropFirst(2).components(separatedBy: " | ")
            let counterpart = cells.dropFirst().joined(separator: " | ")
            return (words(cells[0]), String(counterpart.trimmingCharacters(in: ["|", " "])))
        }
    }

    /// The words in code spans, those with hyphens whole and in parts.
    static func words(_ text: String) -> Set<String> {
        let code = VendorDocument.spans(text).joined(separator: " ")
        return Set(code.matches(of: #/\w+/#).map { String($0.0) })
            .union(code.matches(of: #/\w+(?:-\w+)+/#).map { String($0.0) })
    }

    /// The symbols of a document that no row has in its first column.
    func missing(in rows: [(words: Set<String>, counterpart: String)], document: String) -> [String] {
        let symbols = VendorDocument(document).symbols.filter { $0.isDisjoint(with: others) }
        return symbols.union(callbacks.map { [$0] })
            .filter { symbol in !rows.contains { symbol.isSubset(of: $0.words) } }
            .map { $0.sorted().joined(separator: " ") }.sorted()
    }
}

@Suite("Style: the guides for users of other SDKs")
struct GuideSymbolTests {
    /// Words in the right column that are no names of the SDK: parts of addresses, values, keys of the configuration.
    private static let values: Set<String> = [
        "com", "boxsdk", "boxsdkoauth2redirect", "files", "item_preview", "apple_apps",
        // Of the client for browsers.
        "SnapAuth", "js", "mjs", "mts",
    ]

    @Test(
        .enabled(if: VendorGuide.folder != nil, "set KEYTURN_DOCUMENTS to the folder of the vendors' documents"),
        arguments: VendorGuide.all)
    func `every symbol of a vendor's document stands in the guide's tables`(guide: VendorGuide) throws {
        let folder = try #require(VendorGuide.folder)
        let document = try String(contentsOf: folder.appendingPathComponent(guide.document), encoding: .utf8)
        #expect(VendorDocument(document).symbols.count > 20)
        #expect(guide.missing(in: try guide.rows(), document: document) == [])
    }

    @Test(arguments: VendorGuide.all)
    func `what has no counterpart has a reason`(guide: VendorGuide) throws {
        let rows = try guide.rows()
        #expect(rows.count > 15)
        for row in rows {
            let reason = row.counterpart.drop { $0 == "—" || $0 == " " }
            let isLong = !row.counterpart.hasPrefix("—") || reason.count > 6
            #expect(!reason.isEmpty && isLong, "\(row.words.sorted())")
        }
    }

    /// Words, so that a name which is spelled wrong is found, and one that belongs to another type is not.
    @Test func `what the tables say to use is a word of the SDK's code`() throws {
        let code = SourceTree.swiftFiles(below: ["Sources/SDK", "Sources/Protocol"]).flatMap(\.lines)
            .filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        let known = Set(code.flatMap { $0.utf8.split { !Self.isWord($0) }.map { String(Substring($0)) } })
        #expect(known.count > 5_000)
        for guide in VendorGuide.all {
            let used = try guide.rows().reduce(into: Set<String>()) { $0.formUnion(VendorGuide.words($1.counterpart)) }
            let unknown = used.filter { !$0.contains("-") }.subtracting(known).subtracting(Self.values)
            #expect(unknown.sorted() == [], "\(guide.name)")
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    @Test func `the rules find members, labels, types and choices, and no local names`() {
        let swift = """
            ```swift
            let lamp = try await House.light.find(room: room, level: .high)   // see `House.dim(by:)`
            lamp.shine { print("\\(lamp.color)") }
            func helper(_ house: House) {}
            public protocol Switch {
                func press(hard: Bool)
            }
            ```
            A `Level` in plain words, `two words`, and `knob`.
            """
        #expect(
            VendorDocument(swift).symbols == [
                ["House"], ["House", "light"], ["light", "find", "room", "level"], ["high"], ["House", "dim", "by"],
                ["shine"], ["color"], ["Switch"], ["press", "hard"], ["Level"], ["knob"],
            ])
        let script = """
            ```typescript
            interface Options { page?: "in" | "out"; }
            function open(options: Options): void;
            ```
            """
        #expect(
            VendorDocument(script).symbols == [["Options"], ["page"], ["in"], ["out"], ["open", "options"]])
    }

    @Test func `a symbol without a row is found`() {
        let guide = VendorGuide(name: "x", document: "x.md", others: ["Own"], callbacks: ["didOpen"])
        let rows = VendorGuide.rows("| there | here |\n|---|---|\n| `door.open(with:)`, `As-Is` | — no doors here |\n")
        #expect(rows.last?.counterpart == "— no doors here")
        let document = "```swift\nlet a = b.door.open(with: key)\nOwn()\nLock()\n```\n`As-Is`\n"
        #expect(guide.missing(in: rows, document: document) == ["Lock", "didOpen"])
    }
}
