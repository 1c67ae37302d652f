import KeyturnBase
import Model
import Testing

/// What users may fill in.
@Suite("The fields of a journey's form")
struct JourneyFieldTests {
    private static let today = CivilDay(of: UnixTime(rawValue: 1_795_478_400))

    private func value(_ kind: JourneyField.Kind, _ text: String, isRequired: Bool = true) throws -> JSONValue? {
        try JourneyField("x", isClaim: false, kind, isRequired: isRequired, label: LocalizedText())
            .value(of: text, today: Self.today)
    }

    @Test func `days are those of the calendar`() throws {
        #expect(CivilDay(of: UnixTime(rawValue: 0)) == CivilDay("1970-01-01"))
        #expect(CivilDay(of: UnixTime(rawValue: 951_782_400)) == CivilDay("2000-02-29"))
        #expect(CivilDay(of: UnixTime(rawValue: 951_782_399)) == CivilDay("2000-02-28"))
        #expect(CivilDay(of: UnixTime(rawValue: -1)) == CivilDay("1969-12-31"))
        #expect(Self.today == CivilDay("2026-11-24"))
        for text in ["2023-02-29", "1900-02-29", "2026-13-01", "2026-1-1", "2026-01-00", "20260101", "２０２６-01-01"] {
            #expect(CivilDay(text) == nil, "\(text)")
        }
    }

    @Test func `texts have lengths and masks`() throws {
        #expect(try value(.text(length: 2...4, mask: nil), "  ab ") == "ab")
        #expect(throws: JourneyField.Refusal.length(2...4)) { try value(.text(length: 2...4, mask: nil), "abcde") }
        #expect(throws: JourneyField.Refusal.invalid) { try value(.text(length: 1...9, mask: nil), "a\u{0}b") }
        let mask = JourneyMask("AA-99*")
        #expect(try value(.text(length: 1...9, mask: mask), "Öb-12z") == "Öb-12z")
        #expect(throws: JourneyField.Refusal.form("AA-99*")) { try value(.text(length: 1...9, mask: mask), "Ab-1xz") }
        #expect(throws: JourneyField.Refusal.missing) { try value(.text(length: 0...9, mask: nil), " ") }
        #expect(try value(.text(length: 1...9, mask: nil), " ", isRequired: false) == nil)
    }

    @Test func `numbers have bounds`() throws {
        #expect(try value(.number(within: 1...5), "5") == 5)
        #expect(throws: JourneyField.Refusal.range(1...5)) { try value(.number(within: 1...5), "6") }
        #expect(throws: JourneyField.Refusal.invalid) { try value(.number(within: 1...5), "5.0") }
        #expect(throws: JourneyField.Refusal.invalid) { try value(.number(within: 1...5), "99999999999999999999") }
    }

    @Test func `an age counts in whole years`() throws {
        let adult = JourneyField.Kind.date(minimumAge: 18)
        #expect(try value(adult, "2008-11-24") == "2008-11-24")
        #expect(throws: JourneyField.Refusal.tooYoung(years: 18)) { try value(adult, "2008-11-25") }
        #expect(throws: JourneyField.Refusal.invalid) { try value(adult, "2026-11-25") }
    }

    @Test func `choices are those of the list, and a box can be required`() throws {
        let choice = JourneyField.Kind.choice([JourneyOption("s"), JourneyOption("l")])
        #expect(try value(choice, "l") == "l")
        #expect(throws: JourneyField.Refusal.invalid) { try value(choice, "xl") }
        #expect(try value(.boolean, "true") == true)
        #expect(try value(.boolean, "", isRequired: false) == false)
        #expect(throws: JourneyField.Refusal.missing) { try value(.boolean, "") }
    }

    @Test func `a form asks for required fields first`() {
        func field(_ name: String, _ isRequired: Bool) -> JourneyField {
            JourneyField(name, isClaim: false, .boolean, isRequired: isRequired, label: LocalizedText())
        }
        let form = JourneyForm([field("a", false), field("b", true), field("c", false)], fieldsMax: 2)
        #expect(form.missing(from: []).map(\.name) == ["b", "a"])
        #expect(form.missing(from: ["b"]).map(\.name) == ["a", "c"])
    }
}
