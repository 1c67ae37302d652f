import KeyturnBase
import Model
import Testing

@testable import LDAP

@Suite("LDAP: what an entry says")
struct DirectoryEntryTests {
    private static func entry(_ attributes: [String: [String]], _ bytes: [String: [[UInt8]]] = [:]) -> LDAPEntry {
        LDAPEntry(
            name: "uid=jane,ou=people,dc=acme,dc=example",
            attributes: attributes.mapValues { $0.map { Array($0.utf8) } }.merging(bytes) { _, own in own })
    }

    private static func settings(_ change: (inout LDAPConnectionSettings) -> Void = { _ in }) -> LDAPConnectionSettings
    {
        var settings = LDAPConnectionSettings(
            url: "ldaps://ldap.acme.example", bindDN: "cn=service", bindPassword: "secret",
            baseDN: "dc=acme,dc=example")
        change(&settings)
        return settings
    }

    @Test func `L-9: the subject is the identifier that is never given again`() throws {
        let entry = Self.entry(["entryUUID": ["6F9619FF-8B86-D011-B42D-00CF4FC964FF"], "uid": ["jane"]])
        #expect(entry.subject("entryUUID") == "6f9619ff-8b86-d011-b42d-00cf4fc964ff")
        #expect(Self.entry([:]).subject("entryUUID") == nil)
        #expect(Self.entry(["entryUUID": ["a", "b"]]).subject("entryUUID") == nil)
        #expect(throws: LDAPFault.settings("no_subject")) {
            try DirectoryProfile(settings: Self.settings(), mapsGroups: false).profile(of: Self.entry([:]), groups: nil)
        }
    }

    @Test func `L-9: the bytes of an objectGUID become the text of Active Directory's tools`() {
        let raw: [UInt8] = [
            0xFF, 0x19, 0x96, 0x6F, 0x86, 0x8B, 0x11, 0xD0, 0xB4, 0x2D, 0x00, 0xCF, 0x4F, 0xC9, 0x64, 0xFF,
        ]
        let entry = Self.entry([:], ["objectGUID": [raw], "short": [Array(raw.prefix(15))]])
        #expect(entry.subject("objectGUID") == "6f9619ff-8b86-d011-b42d-00cf4fc964ff")
        #expect(Self.entry([:], ["objectGUID": [Array(raw.prefix(15))]]).subject("objectGUID") == nil)
    }

    @Test func `a profile has the attributes by our names, and an address as good as the operator says`() throws {
        let entry = Self.entry([
            "entryUUID": ["u"], "mail": ["jane@acme.example", "j@acme.example"], "cn": ["Jane Doe"],
            "givenName": ["Jane"], "sn": ["Doe"], "telephoneNumber": ["+49 (30) 123-456"], "uid": ["jane"],
        ])
        let plain = try DirectoryProfile(settings: Self.settings(), mapsGroups: false).profile(of: entry, groups: nil)
        #expect(plain.email == "jane@acme.example" && plain.emailTrust == .unverified && plain.subject == "u")
        #expect(plain.phone == "+4930123456" && plain.claims["name"] == "Jane Doe" && plain.methods == ["pwd"])
        let trusted = Self.settings {
            $0.trustsEmail = true
            $0.mapping = ["name": "givenName"]
        }
        let other = try DirectoryProfile(settings: trusted, mapsGroups: false).profile(of: entry, groups: ["g"])
        #expect(other.emailTrust == .trusted && other.claims["name"] == "Jane" && other.groups == ["g"])
    }

    @Test func `L-8: directories say in three ways that a user may not sign in`() {
        for attributes in [
            ["userAccountControl": ["514"]], ["pwdAccountLockedTime": ["000001010000Z"]], ["nsAccountLock": ["TRUE"]],
        ] {
            #expect(Self.entry(attributes).isDisabled, "\(attributes)")
        }
        for attributes in [
            ["userAccountControl": ["512"]], ["pwdAccountLockedTime": ["20260101000000Z"]],
            ["nsAccountLock": ["FALSE"]],
            [:],
        ] {
            #expect(!Self.entry(attributes).isDisabled, "\(attributes)")
        }
    }

    @Test func `L-4: an alias and a referral are no users`() {
        #expect(Self.entry(["objectClass": ["top", "Alias"]]).isPointer)
        #expect(Self.entry(["objectClass": ["referral"]]).isPointer)
        #expect(!Self.entry(["objectClass": ["inetOrgPerson"]]).isPointer)
    }

    @Test func `a list that the directory cut is not an empty one`() {
        let entry = LDAPEntry(name: "cn=k", attributes: ["cn": [Array("k".utf8)]], cut: ["memberof"])
        #expect(entry.isCut("memberOf") && !entry.isCut("cn") && entry.texts("memberOf") == [])
    }

    @Test func `L-11: names of groups are compared as directories compare them`() {
        let wanted = ["cn=Staff,ou=Groups,dc=acme,dc=example"]
        let told = ["CN=staff, OU=groups,DC=acme , dc=example", "cn=staff,ou=other,dc=acme,dc=example"]
        #expect(
            DistinguishedName.spelled(told, as: wanted) == [wanted[0], "cn=staff,ou=other,dc=acme,dc=example"])
    }
}
