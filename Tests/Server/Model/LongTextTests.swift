import KeyturnBase
import KeyturnWire
import Model
import Testing

@Suite("Long texts of strangers")
struct LongTextTests {
    /// Marks of two classes in turn: to put them into their order takes time in the square of their number.
    private static let marks =
        "a" + String(String.UnicodeScalarView((0..<32_000).map { $0 & 1 == 0 ? "\u{300}" : "\u{316}" }))

    private func time(_ work: () -> Void) -> Duration { ContinuousClock().measure(work) }

    @Test func `a name, a password, a scope and a member of 64 KB are refused before anybody normalises them`() {
        let marks = Self.marks
        let elapsed = time {
            #expect(Identifier(loginID: marks) == nil)
            #expect(PasswordPolicy().flaws(in: Secret(marks)) == [.tooLong])
            #expect(Scope(marks) == nil)
            #expect((try? FormParameters(parsing: "\(marks)=1")) == nil)
            #expect((try? JSONValue(parsing: "{\"\(marks)\":1}".utf8)) == nil)
        }
        #expect(elapsed < .milliseconds(200), "each takes about a second if it is not")
    }

    @Test func `names within their bounds are read`() throws {
        #expect(
            Identifier(loginID: String(repeating: " ", count: 700) + "andy@example.com")?.value == "andy@example.com")
        #expect(Identifier(loginID: String(repeating: "x", count: 255)) == nil)
        let name = String(repeating: "n", count: 1_024)
        #expect(try JSONValue(parsing: "{\"\(name)\":1}".utf8)[name] == 1)
        #expect(throws: JSONProblem.self) { try JSONValue(parsing: "{\"\(name)n\":1}".utf8) }
    }
}
