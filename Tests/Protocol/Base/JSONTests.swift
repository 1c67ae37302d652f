import KeyturnBase
import Testing

@Suite("Strict JSON, RFC 8259")
struct JSONTests {
    private func rule(_ text: String, limits: JSONValue.Limits = .standard) -> JSONProblem.Rule? {
        do {
            _ = try JSONValue(parsing: Array(text.utf8), limits: limits)
            return nil
        } catch {
            return error.rule
        }
    }

    @Test(
        arguments: [
            (#"{"a":1,"a":2}"#, JSONProblem.Rule.duplicateMember), (#"{"a":1,"\u0061":2}"#, .duplicateMember),
            ("1 2", .trailingBytes), ("{} x", .trailingBytes), ("", .syntax), ("{", .syntax), ("[1,]", .syntax),
            ("{\"a\"}", .syntax), ("01", .trailingBytes), ("1.", .syntax), ("-", .syntax), ("+1", .syntax),
            ("1e", .syntax),
            ("nul", .syntax), ("NaN", .syntax), ("'a'", .syntax), ("\"a", .syntax), ("\"\u{1}\"", .syntax),
            (#""\ud800""#, .invalidText), (#""\ud800\u0041""#, .invalidText), (#""\udc00""#, .invalidText),
            (#""\x""#, .syntax), ("1e999", .syntax), ("\u{FEFF}{}", .syntax),
        ])
    func `what other parsers resolve in their own way is refused`(_ text: String, _ expected: JSONProblem.Rule) {
        #expect(rule(text) == expected)
    }

    @Test func `bytes that are no text are refused`() {
        #expect(throws: JSONProblem.self) { try JSONValue(parsing: [0x22, 0xFF, 0x22]) }
        #expect(throws: JSONProblem.self) { try JSONValue(parsing: [0x22, 0xC0, 0x80, 0x22]) }
    }

    @Test func `attack 115: depth, size and number of members are bounded`() {
        let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        #expect(rule(nested(16)) == nil)
        #expect(rule(nested(17)) == .tooDeep)
        #expect(rule(nested(100_000), limits: .init(bytesMax: 1_000_000)) == .tooDeep)
        #expect(rule(String(repeating: " ", count: 65_537)) == .tooLarge)
        #expect(rule("[" + String(repeating: "1,", count: 512) + "1]") == .tooManyMembers)
    }

    @Test func `numbers keep their kind`() throws {
        #expect(try JSONValue(parsing: Array("9223372036854775807".utf8)) == .integer(.max))
        #expect(try JSONValue(parsing: Array("9223372036854775808".utf8)) == .number(9_223_372_036_854_775_808))
        #expect(try JSONValue(parsing: Array("1.0".utf8)) == .number(1))
        #expect(try JSONValue(parsing: Array("-0".utf8)) == .integer(0))
    }

    @Test func `what is written is read again`() throws {
        let value: JSONValue = [
            "text": "a\"\\\n\u{1}é🔑", "list": [1, true, .null, .number(1.5)], "empty": [:], "number": -5,
        ]
        #expect(try JSONValue(parsing: value.serialized) == value)
        let written = JSONWriter.object { json in
            json.member("a", "x\u{1F}" as String)
            json.member("none", nil as String?)
            json.member("list", ["p", "q"])
            json.member("yes", true)
        }
        #expect(String(decoding: written, as: UTF8.self) == #"{"a":"x\u001f","list":["p","q"],"yes":true}"#)
    }
}
