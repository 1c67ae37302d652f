import KeyturnBase
import Testing

@testable import keyturn

@Suite("Configuration: YAML")
struct YAMLTests {
    @Test func `a key that stands twice stops the reading, with its name and its first place`() {
        let once = Sample.problems("issuer: auto\nproject:\n  name: a\n  name: b\nlisten: wrong\nissuer: auto")
        #expect(once.map(\.origin) == [.file(line: 3, column: 3)])
        #expect(once.map(\.detail) == ["the key \"name\" stands twice in this group"])
        let several = Sample.problems("project: { name: a, \"id\": x, id: y, name: b }\nlisten: wrong")
        #expect(several.map(\.origin) == [.file(line: 1, column: 21)])
        #expect(several.map(\.detail) == ["keys stand twice here: \"id\", \"name\""])
    }

    @Test(
        "`a key that stands twice is a mistake wherever any key is allowed`",
        arguments: [
            "users: [ { sub: a, claims: { x: 1, x: 2 } } ]", "users: [ { sub: a, claims: { x: 1, \"\\x78\": 2 } } ]",
            "users: [ { sub: a, claims: { \"\\x78\": 1, x: 2 } } ]", "users: [ { sub: a, claims: { 1: a, '1': b } } ]",
            "users: [ { sub: a, claims: { [a]: 1, [a]: 2 } } ]", "? a\n? a",
        ])
    func duplicates(text: String) {
        #expect(!Sample.mistakes(text).isEmpty)
    }

    @Test(
        "`aliases and anchors are refused, however few`",
        arguments: [
            "project: &p { name: a }", "project: &p\n  name: a\nclients: [ *p ]", "issuer: *nowhere",
            "users: [ { sub: a, claims: { x: &x 1, y: *x } } ]", "&k issuer: auto",
        ])
    func aliases(text: String) {
        let problems = Sample.problems(text)
        #expect(problems.contains { $0.severity == .mistake && $0.detail.contains("alias") })
    }

    @Test("`an alias bomb is refused at once`", .timeLimit(.minutes(5)), arguments: [false, true])
    func bomb(inKeys: Bool) {
        var lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
        for level in 1...30 {
            let references = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ",")
            lines.append("a\(level): &a\(level) [\(references)]")
        }
        if inKeys { lines.append("? *a30 \n: 1\n? *a29 \n: 1") }
        #expect(Sample.problems(lines.joined(separator: "\n")).map(\.detail).contains { $0.contains("alias") })
    }

    @Test func `texts with ampersands and asterisks are not taken for aliases`() throws {
        let name = String(repeating: "a *b ", count: 30) + "&c"
        let text = "users: [ { sub: a, name: \"\(name)\" } ] # &a *b"
        #expect(try Sample.accepted(text).users.first?.claims["name"] == .string(name))
        let asterisks = text.replacing("&", with: "+") + String(repeating: "*x ", count: 1000)
        #expect(Sample.mistakes(asterisks) == [])
    }

    @Test(
        "`deep nesting is refused`",
        arguments: [25, 900, 100_000, 2_000_000])
    func depth(levels: Int) {
        #expect(!Sample.mistakes("users: " + String(repeating: "[", count: levels)).isEmpty)
        #expect(
            !Sample.mistakes("users: " + String(repeating: "[", count: levels) + String(repeating: "]", count: levels))
                .isEmpty)
        #expect(!Sample.mistakes(String(repeating: "- ", count: levels)).isEmpty)
    }

    @Test func `a file longer than 4 MiB is refused`() {
        let comment = String(repeating: "#", count: ConfigurationLimits.fileBytesMax)
        #expect(Sample.mistakes(comment) == [])
        #expect(Sample.mistakes(comment + "#") == ["- "])
    }

    @Test(
        "`broken YAML is a mistake in its place`",
        arguments: [
            ("issuer: auto\n\tlisten: x", "2 "), ("clients: [", "2 "), ("a: b: c", "1 "), ("issuer: \"x", "2 "),
            ("issuer: auto\n---\nissuer: auto", "2 "), ("issuer: @x", "1 "), ("- a", "1 "), ("text", "1 "),
        ])
    func syntax(text: String, place: String) {
        #expect(Sample.mistakes(text + "\n") == [place])
    }

    @Test(
        "`characters that JSON writes as two escapes are read`",
        arguments: [
            (#"\ud83d\ude00"#, "😀" as String?), (#"\u00e9\uD83D\uDE00\n"#, "é😀\n"), (#"\\ud83d"#, #"\ud83d"#),
            (#"\ud83d"#, nil), (#"\ude00\ud83d"#, nil), (#"\ud83d\u0041"#, nil), (#"\u+83d\ude00"#, nil),
        ])
    func surrogates(escaped: String, expected: String?) {
        let text = #"{ "users": [ { "sub": "a", "name": "\#(escaped)" } ] }"#
        #expect((try? Sample.accepted(text))?.users.first?.claims["name"]?.stringValue == expected)
    }

    @Test func `columns count characters, from 1`() {
        let origins = Sample.problems("project: { name: \"ééé\", nam: x }").map(\.origin)
        #expect(origins == [.file(line: 1, column: 25)])
    }

    @Test func `a file is read, and one that cannot be read is a mistake`() throws {
        try Sample.withFile("load", contents: Array("listen: 127.0.0.1:9\n".utf8)) { path in
            let configuration = try ServerConfiguration.load(path: path, environment: [:])
            #expect(configuration.listen.port == 9)
            for wrong in [path + "/absent", path + ".absent", String(path.dropLast("/keyturn.yaml".count))] {
                #expect(throws: ConfigurationProblems.self) {
                    try ServerConfiguration.load(path: wrong, environment: [:])
                }
            }
        }
        try Sample.withFile("bytes", contents: [0x61, 0x3A, 0xFF]) { path in
            #expect(throws: ConfigurationProblems.self) { try ServerConfiguration.load(path: path, environment: [:]) }
        }
        #expect(
            try ServerConfiguration.load(path: nil, environment: ["KEYTURN_LISTEN": "[::1]:9"]).listen.host == "::1")
    }
}
