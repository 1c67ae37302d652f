import KeyturnWire
import Testing

@Suite("Authorization details (RFC 9396)")
struct AuthorizationDetailsTests {
    private func details(_ text: String) throws -> AuthorizationDetails {
        try #require(AuthorizationDetails(parsing: text), "\(text)")
    }

    @Test func `what is no list of objects with a type is not read`() {
        for text in [
            "", "{}", "[]", "[1]", #"[{"type":""}]"#, #"[{"type":1}]"#, #"[{"actions":["read"]}]"#,
            #"[{"type":"a","type":"b"}]"#, String(repeating: "[", count: 20),
            #"[{"type":"a","x":""# + String(repeating: "x", count: 9_000) + #""}]"#,
        ] {
            #expect(AuthorizationDetails(parsing: text) == nil, "\(text.prefix(40))")
        }
    }

    @Test func `less in a set is within, and nothing else that differs`() throws {
        let granted = try details(
            #"[{"type":"payment","actions":["read","write"],"amount":"1 EUR"},{"type":"account"}]"#)
        for text in [
            #"[{"type":"payment","actions":["read"],"amount":"1 EUR"}]"#, #"[{"type":"account"}]"#,
            #"[{"type":"account"},{"type":"payment","actions":["write","read"],"amount":"1 EUR"}]"#,
        ] {
            #expect(try details(text).isWithin(granted), "\(text)")
        }
        for text in [
            #"[{"type":"payment","actions":["delete"],"amount":"1 EUR"}]"#,
            #"[{"type":"payment","actions":[],"amount":"1 EUR"}]"#, #"[{"type":"payment","actions":["read"]}]"#,
            #"[{"type":"payment","actions":["read"],"amount":"2 EUR"}]"#,
            #"[{"type":"account","privileges":["admin"]}]"#, #"[{"type":"account","identifier":"7"}]"#,
            #"[{"type":"account"},{"type":"account"}]"#, #"[{"type":"other"}]"#,
        ] {
            #expect(try !details(text).isWithin(granted), "\(text)")
        }
    }

    @Test func `a need is covered by what names it, whatever else that says`() throws {
        let granted = try details(#"[{"type":"payment","actions":["read","write"],"amount":"1 EUR"}]"#)
        #expect(granted.covers(try details(#"[{"type":"payment","actions":["read"]}]"#)))
        #expect(granted.covers(try details(#"[{"type":"payment","amount":"1 EUR"}]"#)))
        for text in [
            #"[{"type":"payment","privileges":["admin"]}]"#, #"[{"type":"payment","actions":["delete"]}]"#,
            #"[{"type":"payment","amount":"2 EUR"}]"#, #"[{"type":"account"}]"#,
        ] {
            #expect(try !granted.covers(details(text)), "\(text)")
        }
    }
}
