import Model
import Testing

@testable import LDAP

@Suite("LDAP: settings that cannot work")
struct DirectoryCheckTests {
    private static func mistakes(_ change: (inout LDAPConnectionSettings) -> Void) -> [String] {
        var settings = LDAPConnectionSettings(
            url: "ldaps://ldap.acme.example", bindDN: "cn=service", bindPassword: "secret", baseDN: "dc=acme")
        change(&settings)
        return DirectoryCheck.mistakes(settings).map(\.name)
    }

    @Test func `good settings have no mistakes`() {
        #expect(Self.mistakes { _ in } == [])
        #expect(
            Self.mistakes {
                $0.subjectAttribute = "objectGUID"
                $0.filter = "(&(objectClass=user)(sAMAccountName={login}))"
                $0.groupFilter = "(member:1.2.840.113556.1.4.1941:={dn})"
                $0.mapping = ["email": "userPrincipalName"]
            } == [])
    }

    @Test func `each mistake names its member`() {
        #expect(Self.mistakes { $0.url = "https://ldap.acme.example" } == ["url"])
        #expect(Self.mistakes { $0.url = "ldaps://ldap.acme.example/dc=acme?uid" } == ["url"])
        #expect(Self.mistakes { $0.filter = "(uid=%s)" } == ["filter"])
        #expect(Self.mistakes { $0.groupFilter = "(member={login})" } == ["group_filter"])
        #expect(Self.mistakes { $0.mapping = ["email": "mail)(x=*"] } == ["mapping.email"])
    }

    @Test(arguments: ["uid", "mail", "CN"])
    func `L-9: a name that can be given to another person identifies nobody`(_ attribute: String) {
        #expect(Self.mistakes { $0.subjectAttribute = attribute } == ["subject_attribute"])
    }

    @Test func `addresses are of directories, and only loopback goes without TLS`() throws {
        let local = try #require(LDAPAddress("ldap://127.0.0.1:3890"))
        #expect(local.isLoopback && !local.isImplicitTLS)
        let plain = try #require(LDAPAddress("ldap://ldap.acme.example/"))
        #expect(!plain.isLoopback && plain.text == "ldap://ldap.acme.example")
        #expect(LDAPAddress("ldaps://ldap.acme.example:6360")?.isImplicitTLS == true)
        for bad in ["", "ldapi:///", "ldap://", "ldap://user@host", "http://host"] {
            #expect(LDAPAddress(bad) == nil, "\(bad)")
        }
    }
}
