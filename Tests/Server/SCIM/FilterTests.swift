import KeyturnBase
import Model
import Testing

@testable import SCIM

@Suite("SCIM: filters (RFC 7644 §3.4.2.2)")
struct FilterTests {
    private func condition(_ text: String, _ kind: SCIMRecord.Kind = .user) throws -> SCIMCondition {
        try SCIMFilterParser.filter(text, kind).condition()
    }

    private func problem(_ text: String, _ kind: SCIMRecord.Kind = .user) -> SCIMProblem.Kind? {
        do throws(SCIMProblem) {
            _ = try SCIMFilterParser.filter(text, kind).condition()
            return nil
        } catch {
            return error.status == 400 ? error.kind : nil
        }
    }

    @Test func `names, operators and texts are read in any case, and not binds tighter than and, and tighter than or`()
        throws
    {
        #expect(try condition(#"USERNAME Eq "Kim@A.example""#) == .value(path: "username", .equal, "kim@a.example"))
        #expect(try condition(#"externalId eq "Ab""#) == .value(path: "externalid", .equal, "Ab"))
        let a = SCIMCondition.value(path: "title", .equal, "a")
        let b = SCIMCondition.value(path: "title", .equal, "b")
        let c = SCIMCondition.value(path: "title", .equal, "c")
        let (x, y, z) = (#"title eq "a""#, #"title eq "b""#, #"title eq "c""#)
        #expect(try condition("\(x) or \(y) and \(z)") == .any([a, .all([b, c])]))
        #expect(try condition("(\(x) or \(y)) and not (\(z))") == .all([.any([a, b]), .not(c)]))
        #expect(try condition(#"title ne "a""#) == .not(a))
    }

    @Test func `paths have the URN of their schema or not, and sub-attributes`() throws {
        let urn = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
        #expect(
            try condition("\(urn):department eq \"x\"")
                == .value(path: "\(urn.lowercased()).department", .equal, "x"))
        #expect(
            try condition("urn:ietf:params:scim:schemas:core:2.0:User:name.givenName sw \"k\"")
                == .value(path: "name.givenname", .startsWith, "k"))
        #expect(
            try condition(#"emails[type eq "work" and value co "@a"]"#)
                == .element(
                    attribute: "emails",
                    .all([
                        .value(path: "emails.type", .equal, "work"), .value(path: "emails.value", .contains, "@a"),
                    ])))
        // As Entra asks.
        #expect(
            try condition(#"emails[type eq "work"].value eq "k@a""#)
                == .element(
                    attribute: "emails",
                    .all([.value(path: "emails.type", .equal, "work"), .value(path: "emails.value", .equal, "k@a")])))
    }

    @Test func `null is no value, moments are compared as such, and members by their identifier`() throws {
        #expect(try condition("title eq null") == .not(.value(path: "title", .present, "")))
        #expect(
            try condition(#"meta.created gt "1970-01-01T01:00:10+01:00""#)
                == .moment(.created, .greater, UnixTime(rawValue: 10)))
        #expect(
            try condition(#"members[value eq "u1" or value eq "u2"]"#, .group) == .any([.linked("u1"), .linked("u2")]))
        #expect(try condition(#"members eq "u1""#, .group) == .linked("u1"))
        #expect(try condition("active eq True") == .value(path: "active", .equal, "true"))
    }

    @Test(
        "M-10: what is too deep, too long, has too many terms or no sense is refused",
        arguments: [
            String(repeating: "(", count: 9) + #"title eq "a""# + String(repeating: ")", count: 9),
            String(repeating: "title eq \"a\" or ", count: 32) + "title eq \"a\"",
            "title eq \"" + String(repeating: "a", count: 1_024) + "\"",
            #"title co """#, "active gt true", #"title eq"#, #"title eq "a"#, "eq", "title xx \"a\"", "",
            #"secret eq "a""#, #"password eq "a""#, #"title eq "a") or (title eq "b""#, "title eq 'a' or 1=1 --",
            #"emails[emails[type eq "a"]]"#, #"name eq "a""#, #"schemas eq "a""#, "title pr pr",
        ])
    func bounds(_ text: String) {
        #expect(problem(text) == .invalidFilter, "\(text.prefix(80))")
    }

    @Test("M-10: the longest and deepest that is allowed is read") func edge() throws {
        let deep = String(repeating: "(", count: 7) + #"title eq "a""# + String(repeating: ")", count: 7)
        #expect(problem(deep) == nil)
        #expect(problem(String(repeating: "title pr or ", count: 31) + "title pr") == nil)
        #expect(problem(#"title eq "'; DROP TABLE scim_resource; --.*%_""#) == nil)
    }
}
