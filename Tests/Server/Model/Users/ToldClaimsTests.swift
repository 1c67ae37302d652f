import KeyturnBase
import KeyturnWire
import Testing

@testable import Model

@Suite("What programs are told of addresses and names")
struct ToldClaimsTests {
    private func account(_ claims: [String: JSONValue], proved: [String] = []) throws -> Account {
        let user = User(
            id: UserID(rawValue: "u"), claims: claims, createdAt: UnixTime(rawValue: 0),
            updatedAt: UnixTime(rawValue: 0))
        let identifiers = try proved.map { try #require(Identifier(loginID: $0)) }
        return Account(
            user: user, identifiers: Dictionary(uniqueKeysWithValues: identifiers.map { ($0, .verified) }),
            passwordHash: nil)
    }

    @Test func `an address goes with its flag, and is told if the flag is true`() throws {
        let claims: [String: JSONValue] = [
            "email": "a@example.com", "email_verified": true, "phone_number": "+15551234567", "name": "Ann",
        ]
        let told = try account(claims).user.claims(withUnverifiedContacts: false)
        #expect(Set(told.keys) == ["email", "email_verified", "name"])
        let all = try account(claims).user.claims(withUnverifiedContacts: true)
        #expect(all["phone_number"] == "+15551234567" && all["phone_number_verified"] == false)
        let flags = try account(["email_verified": true]).user.claims(withUnverifiedContacts: true)
        #expect(flags.isEmpty, "a flag alone says nothing")
    }

    @Test(arguments: [
        "bob@example.com", " BOB@example.com ", "bob\u{FF20}example.com", "Bob <bob@example.com>", "bob@example.com,x",
        "bob@exam\u{200B}ple.com", "+15551234567", "+1 (555) 123-4567", "mailto:bob@example.com",
        "\"bob\"@example.com", "bob@[127.0.0.1]", "(Bob) 'bob'@example.com",
    ])
    func `93: a name that is an address needs a proof of it`(_ name: String) throws {
        #expect(try account([:]).isUnprovenAddress(name))
    }

    @Test func `a long text is not normalised, and is no name if it may hold an address`() throws {
        let marks = "e" + String(repeating: "\u{301}", count: 200_000)
        #expect(try account([:]).isUnprovenAddress("a@" + marks))
        #expect(try !account([:]).isUnprovenAddress(marks))
    }

    @Test(arguments: ["Bob", "Bob @ Work", "@bob", "Bob (@bob)", "\"@bob\"", "bob@", "A+", "+1", "Bob (Example)", ""])
    func `a name that is none is told`(_ name: String) throws {
        #expect(try !account([:]).isUnprovenAddress(name))
    }

    @Test func `a proved address may be a name`() throws {
        let own = try account([:], proved: ["bob@example.com", "+15551234567"])
        for name in ["Bob@Example.com", "+1 555 1234567"] { #expect(!own.isUnprovenAddress(name)) }
        #expect(own.isUnprovenAddress("bob@example.com ann@example.com"))
        #expect(try account(["name": "bob@example.com"]).told("name") == "")
        #expect(try account(["name": "Bob"]).told("name") == "Bob")
    }

    @Test func `a consent to a scope covers its claims`() {
        let agreed = Consent(scope: Scope(names: ["openid", "email"]), claims: ["name"])
        for claims in [[], ["name"], ["email", "email_verified"], ["email", "name"]] as [Set<String>] {
            #expect(agreed.covers(Consent(scope: Scope(names: ["openid"]), claims: claims)))
        }
        #expect(!agreed.covers(Consent(scope: .none, claims: ["nickname"])))
        #expect(!agreed.covers(Consent(scope: Scope(names: ["profile"]))))
    }

    @Test func `a consent covers the services that it names, and no others`() {
        let scope = Scope(names: ["openid"])
        let agreed = Consent(scope: scope, resources: ["https://api.example"])
        #expect(agreed.covers(Consent(scope: scope)) && agreed.covers(agreed))
        #expect(!agreed.covers(Consent(scope: scope, resources: ["https://api.example", "https://other.example"])))
        #expect(!Consent(scope: scope).covers(agreed))
    }
}
