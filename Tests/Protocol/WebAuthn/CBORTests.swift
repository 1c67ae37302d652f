import KeyturnWebAuthn
import Testing

@Suite("Canonical CBOR, CTAP 2.2 §8")
struct CBORTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let bytes: [UInt8]
        let rule: CBORProblem.Rule
        var testDescription: String { "\(rule.rawValue): \(bytes.prefix(12))" }
    }

    static let refused = [
        Case(bytes: [], rule: .truncated),
        Case(bytes: [0x18], rule: .truncated),
        Case(bytes: [0x18, 0x17], rule: .notShortest),
        Case(bytes: [0x19, 0x00, 0xFF], rule: .notShortest),
        Case(bytes: [0x1A, 0x00, 0x00, 0xFF, 0xFF], rule: .notShortest),
        Case(bytes: [0x1B, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF], rule: .notShortest),
        Case(bytes: [0x58, 0x01, 0x00], rule: .notShortest),
        Case(bytes: [0x5F, 0x41, 0x00, 0xFF], rule: .indefiniteLength),
        Case(bytes: [0x7F, 0xFF], rule: .indefiniteLength),
        Case(bytes: [0x9F, 0xFF], rule: .indefiniteLength),
        Case(bytes: [0xBF, 0xFF], rule: .indefiniteLength),
        Case(bytes: [0xFF], rule: .indefiniteLength),
        Case(bytes: [0x1C], rule: .unsupported),
        Case(bytes: [0xC0, 0x00], rule: .unsupported),
        Case(bytes: [0xF9, 0x00, 0x00], rule: .unsupported),
        Case(bytes: [0xFB, 0, 0, 0, 0, 0, 0, 0, 0], rule: .unsupported),
        Case(bytes: [0xF7], rule: .unsupported),
        Case(bytes: [0xF8, 0x20], rule: .unsupported),
        Case(bytes: [0x00, 0x00], rule: .trailingBytes),
        Case(bytes: [0x42, 0x00], rule: .truncated),
        Case(bytes: [0x62, 0xC3, 0x28], rule: .invalidText),
        Case(bytes: [0x63, 0xED, 0xA0, 0x80], rule: .invalidText),
        Case(bytes: [0xA2, 0x02, 0x00, 0x01, 0x00], rule: .keyOrder),
        Case(bytes: [0xA2, 0x01, 0x00, 0x01, 0x00], rule: .keyOrder),
        Case(bytes: [0xA2, 0x20, 0x00, 0x01, 0x00], rule: .keyOrder),
        Case(bytes: [0xA2, 0x62, 0x61, 0x61, 0x00, 0x61, 0x62, 0x00], rule: .keyOrder),
        Case(bytes: [0xA1, 0x40, 0x00], rule: .keyType),
        Case(bytes: [0xA1, 0x80, 0x00], rule: .keyType),
        Case(bytes: [0xA1, 0xF5, 0x00], rule: .keyType),
        Case(bytes: [UInt8](repeating: 0x81, count: 6) + [0x00], rule: .tooDeep),
        Case(bytes: [0x19, 0x02, 0x00], rule: .tooManyItems),
        Case(bytes: [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], rule: .truncated),
        Case(bytes: [0xBB, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], rule: .truncated),
        Case(bytes: [0x5B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], rule: .truncated),
        Case(bytes: [UInt8](repeating: 0, count: 65_537), rule: .tooLarge),
    ]

    @Test(arguments: refused)
    func `attack 103: what is not canonical is refused`(_ c: Case) {
        // One item too many, spelt by hand: an array of 512 elements is 513 items.
        let bytes =
            c.rule == .tooManyItems ? [0x99, 0x02, 0x00] + [UInt8](repeating: 0, count: 512) : c.bytes
        do {
            let value = try CBORValue(decoding: bytes)
            Issue.record("accepted as \(value)")
        } catch {
            #expect(error.rule == c.rule)
        }
    }

    @Test(arguments: [
        CBORValue.unsigned(0), .unsigned(23), .unsigned(24), .unsigned(255), .unsigned(256), .unsigned(65_535),
        .unsigned(65_536), .unsigned(.max), .negative(0), .negative(.max), .bytes([]), .bytes([1, 2]), .text(""),
        .text("π🔑"), .array([]), .array([.null, .bool(true), .bool(false)]), .map(CBORMap([])),
        .map(CBORMap([(.text("b"), .null), (.text("aa"), .null), (.integer(-1), .null), (.unsigned(9), .null)])),
    ])
    func `what is written is read, and written the same way again`(_ value: CBORValue) throws {
        let read = try CBORValue(decoding: value.encoded)
        #expect(read == value)
        #expect(read.encoded == value.encoded)
    }

    @Test func `keys are sorted by type, length and bytes`() {
        let map = CBORMap([
            (.text("a"), .null), (.integer(-300), .null), (.unsigned(1_000), .null), (.integer(-1), .null),
            (.unsigned(2), .null), (.text(""), .null),
        ])
        #expect(
            map.entries.map(\.key) == [
                .unsigned(2), .unsigned(1_000), .integer(-1), .integer(-300), .text(""), .text("a"),
            ])
    }

    @Test func `integers beyond what fits are not mistaken for others`() {
        #expect(CBORValue.unsigned(.max).integerValue == nil)
        #expect(CBORValue.negative(.max).integerValue == nil)
        #expect(CBORValue.negative(UInt64(Int64.max)).integerValue == .min)
        #expect(CBORValue.integer(.min) == .negative(UInt64(Int64.max)))
    }
}
