import Foundation
import KeyturnBase
import Model
import Testing

@testable import keyturn

@Suite("Configuration: connections to directories")
struct LDAPConfigurationTests {
    private static let usual = [
        "url": "ldaps://ldap.acme.example", "bind_dn": "cn=s", "bind_password": "secret", "base_dn": "dc=acme",
    ]

    /// An entry of `connections`; a value of `nil` leaves a member out.
    private static func entry(_ ldap: [String: String?] = [:], _ members: String = "trust_email: true") -> String {
        let all = usual.merging(ldap.compactMapValues(\.self)) { _, own in own }.filter { ldap[$0.key] != .some(nil) }
        let lines = all.sorted { $0.key < $1.key }.map { "\($0.key): '\($0.value)'" }
        return "connections:\n  - { id: staff, \(members), ldap: { \(lines.joined(separator: ", ")) } }"
    }

    private static func settings(_ text: String, environment: [String: String] = [:]) throws -> LDAPConnectionSettings {
        let connection = try #require(try Sample.accepted(text, environment: environment).connections.first)
        guard case .ldap(let settings) = connection.settings else { throw NoDirectory() }
        return settings
    }

    private struct NoDirectory: Error {}

    @Test func `a directory is taken, with all that it has`() throws {
        let plain = try Self.settings(Self.entry())
        #expect(plain.url == "ldaps://ldap.acme.example" && plain.bindDN == "cn=s" && plain.bindPassword == "secret")
        #expect(plain.subjectAttribute == "entryUUID" && plain.groupAttribute == "memberOf" && plain.trustsEmail)
        let own = try Self.settings(
            Self.entry(
                [
                    "filter": "(uid={login})", "subject_attribute": "objectGUID", "group_attribute": "groups",
                    "group_filter": "(member={dn})", "group_base_dn": "ou=groups",
                ], "trust_email: true, tenant: t, domains: [acme.example], mapping: { name: displayName }"))
        #expect(own.filter == "(uid={login})" && own.subjectAttribute == "objectGUID" && own.groupAttribute == "groups")
        #expect(own.groupFilter == "(member={dn})" && own.groupBaseDN == "ou=groups")
        #expect(own.mapping == ["name": "displayName"])
    }

    @Test func `the password comes from the environment or from a file`() throws {
        let named = Self.entry(["bind_password": nil, "bind_password_env": "DIRECTORY_PASSWORD"])
        #expect(
            try Self.settings(named, environment: ["DIRECTORY_PASSWORD": "from outside"]).bindPassword == "from outside"
        )
        #expect(Sample.problems(named).map(\.path).contains("connections[0].ldap.bind_password_env"))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(
            "ldap-\(ProcessInfo.processInfo.processIdentifier)")
        try "from a file\n".write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let filed = Self.entry(["bind_password": nil, "bind_password_file": file.path])
        #expect(try Self.settings(filed).bindPassword == "from a file")
    }

    static let mistakes: [([String: String?], String, String)] = [
        (["url": nil], "trust_email: true", "ldap.url"),
        (["url": "https://ldap.acme.example"], "trust_email: true", "ldap.url"),
        (["bind_dn": nil], "trust_email: true", "ldap.bind_dn"),
        (["base_dn": nil], "trust_email: true", "ldap.base_dn"),
        (["bind_password": nil], "trust_email: true", "ldap.bind_password"),
        (["bind_password_env": "X"], "trust_email: true", "ldap.bind_password_env"),
        (["bind_password": nil, "bind_password_file": "/nowhere"], "trust_email: true", "ldap.bind_password_file"),
        (["ca_file": "/nowhere"], "trust_email: true", "ldap.ca_file"),
        (["filter": "(uid=jane)"], "trust_email: true", "ldap.filter"),
        (["subject_attribute": "mail"], "trust_email: true", "ldap.subject_attribute"),
        (["port": "636"], "trust_email: true", "ldap.port"),
        ([:], "trust_email: true, mapping: { email: 'a b' }", "mapping.email"),
        ([:], "trust_email: true, mapping: { roles: x }", "mapping.roles"),
        ([:], "trust_email: true, client_id: c", "client_id"),
        ([:], "trust_email: true, tenant: t", "domains"),
        ([:], "tenant: t, domains: [acme.example]", "trust_email"),
        ([:], "trust_email: true, domains: [acme.example]", "domains"),
    ]

    @Test(arguments: mistakes)
    func `what a directory lacks is reported where it stands`(
        _ ldap: [String: String?], _ members: String, _ path: String
    ) {
        let found = Sample.problems(Self.entry(ldap, members)).filter { $0.severity == .mistake }.map(\.path)
        #expect(found == ["connections[0].\(path)"])
    }

    @Test func `a word about addresses that is not given is a warning for the project's directory`() {
        let found = Sample.problems(Self.entry([:], "enabled: true"))
        #expect(found.map(\.path) == ["connections[0].trust_email"] && found[0].severity == .warning)
    }

    @Test func `the project has one directory`() {
        let one = Self.entry()
        let second = Self.entry().replacingOccurrences(of: "connections:\n", with: "")
            .replacingOccurrences(of: "id: staff", with: "id: other")
        #expect(Sample.mistakes(one + "\n" + second).count == 1)
        #expect(
            Sample.mistakes(
                one + "\n" + second.replacingOccurrences(of: "id: other", with: "id: other, enabled: false")
            ).isEmpty)
    }
}
