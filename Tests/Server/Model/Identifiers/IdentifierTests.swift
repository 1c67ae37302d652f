import Testing
@testable import Model

@Suite("Login IDs")
struct IdentifierTests {
    @Test(arguments: [
        ("u@exämple.com", "u@xn--exmple-cua.com"), ("U@EXÄMPLE.COM", "u@xn--exmple-cua.com"),
        ("u@xn--exmple-cua.com", "u@xn--exmple-cua.com"), ("u@XN--EXMPLE-CUA.com", "u@xn--exmple-cua.com"),
        ("u@exa\u{308}mple.com", "u@xn--exmple-cua.com"), ("\u{FF42}ob@example.com", "bob@example.com"),
        ("jürgen@example.com", "jürgen@example.com"), ("u@ex\u{200B}ämple.com", "u@ex\u{200B}ämple.com"),
        ("u@☃.example", "u@☃.example"),
    ])
    func `one mailbox has one spelling`(_ typed: String, _ value: String) throws {
        let identifier = try #require(Identifier(loginID: typed))
        #expect(identifier.kind == .email)
        #expect(identifier.value == value)
        #expect(Identifier(loginID: identifier.value) == identifier, "read again it stays")
    }

    @Test func `what an earlier release stored is the same, and its spelling is known`() throws {
        let typed = try #require(Identifier(loginID: "u@exämple.com"))
        #expect(Identifier(kind: .email, storedValue: "u@exämple.com") == typed)
        #expect(typed.formerSpelling == "u@exämple.com")
        #expect(Identifier(loginID: "u@example.com")?.formerSpelling == nil)
        #expect(Identifier(loginID: "u@xn--a.com")?.formerSpelling == nil)
        #expect(Identifier(kind: .username, storedValue: "u").formerSpelling == nil)
    }

    @Test func `a domain has one spelling where domains are compared`() throws {
        let domain = try #require(EmailDomain("Exämple.com"))
        #expect(domain.name == "xn--exmple-cua.com")
        #expect(EmailDomain(ofAddress: "u@xn--exmple-cua.com") == domain)
        #expect(EmailDomain(ofAddress: "u@exa\u{308}mple.com") == domain)
    }

    @Test(arguments: ["bob@example.com", "BOB@Example.COM", "jürgen@exämple.com", "+4512345678", "анна"])
    func `an address in its compared form, but for ASCII case`(_ text: String) {
        #expect(Identifier.isOwnForm(of: text))
    }

    @Test(arguments: [
        "\u{FF42}ob@example.com", "bo\u{2102}@example.com", "u@exa\u{308}mple.com", "\u{212A}@example.com",
        " bob@example.com",
        "JÜRGEN@example.com", "bob@example\u{FF0E}com", "b\u{F6}b\u{2460}@example.com", "bob@example。com",
        String(repeating: "a", count: 1_025),
    ])
    func `an address that others write in another way is not its own form`(_ text: String) {
        #expect(!Identifier.isOwnForm(of: text))
    }

    @Test(arguments: [
        "ad\u{200B}minz", "a\u{202E}b1", "maria@example.test\u{202E}", "mar\u{AD}ia@example.test", "\u{430}dmin",
        "ann@exa\u{200B}mple.com", "a\u{5D0}@example.com", "ann  smith", "+45\u{200B}12345678", "ann@example。com",
    ])
    func `what looks like another one can be looked up, and is given to no account`(_ typed: String) throws {
        let identifier = try #require(Identifier(loginID: typed))
        #expect(identifier.flaw != nil)
        #expect(Identifier(kind: identifier.kind, storedValue: identifier.value) == identifier)
    }

    @Test(arguments: [
        "ann@example.com", "+4512345678", "ann", "анна@example.com", "\u{5D0}\u{5D1}@example.com", "josé",
        "u@президент.рф",
        "李@例え.テスト",
    ])
    func `what is what it seems is given to accounts`(_ typed: String) throws {
        #expect(try #require(Identifier(loginID: typed)).flaw == nil)
    }

    @Test func `operators see every character`() throws {
        #expect(try #require(Identifier(loginID: "ad\u{200B}minz")).shown == "ad[U+200B]minz")
        #expect(String(describing: try #require(Identifier(loginID: "ad\u{200B}minz")?.flaw)).contains("[U+200B]"))
    }

    @Test(arguments: [
        "a@one.example,b@two.example", "<a@one.example>b@two.example", "a@one.example@two.example", "a(@two.example",
        "\"a\"@two.example", "a b@two.example", "a;b@two.example", "a:b@two.example", "[a]@two.example",
        "a\\b@two.example",
        "a@two.example (b)", "a@", "@two.example", "a@[127.0.0.1]", "a@two.example.", "a@.two.example",
        "a@two..example",
    ])
    func `what programs could read as another mailbox is no login ID, and no address of a domain`(_ text: String) throws
    {
        #expect(try #require(Identifier(loginID: text)).flaw == .mailbox)
        #expect(EmailDomain(ofAddress: text) == nil && !Identifier.isOwnForm(of: text))
    }

    @Test(arguments: [
        "ann.lee+tag@two.example", "o'brien@two.example", "a!#$%&'*+-/=?^_`{|}~z@two.example", "..ann.@two.example",
        "zo\u{EB}@two.example", "a@b",
    ])
    func `every character of an atom may stand in an address`(_ text: String) throws {
        #expect(try #require(Identifier(loginID: text)).flaw == nil)
    }
}
