import Testing

@testable import LDAP

@Suite("LDAP: filters (RFC 4515)")
struct LDAPFilterTests {
    private static let template = "(|(uid={login})(mail={login}))"

    @Test(
        arguments: [
            ("*)(uid=*", "\\2a\\29\\28uid=\\2a"), ("a\\b", "a\\5cb"), ("a\u{0}b", "a\\00b"), ("(", "\\28"),
            (")", "\\29"), ("ü", "\\c3\\bc"), ("jane.doe@acme.example", "jane.doe@acme.example"),
            ("a&b|c!d", "a\\26b\\7cc\\21d"),
        ])
    func `L-2: what a user types stays a value`(_ typed: String, _ escaped: String) {
        #expect(
            LDAPFilter.filled(Self.template, LDAPFilter.login, with: typed)
                == "(|(uid=\(escaped))(mail=\(escaped)))")
    }

    @Test func `L-2: a typed placeholder is no placeholder`() {
        #expect(LDAPFilter.filled("(uid={login})", LDAPFilter.login, with: "{login}") == "(uid=\\7blogin\\7d)")
    }

    @Test func `a template is one filter with the placeholder in it`() {
        for good in [Self.template, "(uid={login})", "(&(objectClass=person)(!(locked=*))(uid={login}))"] {
            #expect(LDAPFilter.isUsable(good, placeholder: LDAPFilter.login), "\(good)")
        }
        for bad in [
            "", "uid={login}", "(uid=jane)", "(uid={login}", "(uid={login}))", "(a=b)(uid={login})", "(uid=\n{login})",
            ")(uid={login})(",
        ] {
            #expect(!LDAPFilter.isUsable(bad, placeholder: LDAPFilter.login), "\(bad)")
        }
    }
}
