import Crypto
import KeyturnBase
import KeyturnWire
import Testing

@testable import Model

@Suite("What the audit log tells of a change")
struct AuditChangesTests {
    private static let now = UnixTime(rawValue: 1_800_000_000)
    private static let salt = [UInt8](repeating: 9, count: Limits.auditSaltBytes)

    private static func tenant(_ name: String, _ attributes: [String: JSONValue] = [:]) -> Tenant {
        Tenant(id: "t", name: name, attributes: attributes, createdAt: now)
    }

    private func list<Value: Audited>(_ before: Value?, _ after: Value?) -> [AuditChange] {
        AuditChanges.between(before, after, .live)?.list ?? []
    }

    @Test func `an event that is recorded once a minute is another one with another change`() {
        func event(_ name: String) -> AuditEvent {
            AuditEvent(
                .clientChanged, at: Self.now, clientID: "c",
                changes: .between(Self.tenant("Old"), Self.tenant(name), .live))
        }
        #expect(event("New") != event("New") && event("New").timeless == event("New").timeless)
        #expect(event("New").timeless != event("Other").timeless)
    }

    @Test func `fields that differ are told by name, and nothing is told where none does`() {
        let before = Self.tenant("Old", ["plan": "basic", "seats": 5, "tags": ["a", "b"], "gone": true])
        let after = Self.tenant("New", ["plan": "basic", "seats": 6, "tags": ["a"], "deep": ["x": [1]]])
        #expect(
            list(before, after) == [
                AuditChange(field: "attributes.deep", before: nil, after: #"{"x":[1]}"#),
                AuditChange(field: "attributes.gone", before: "true", after: nil),
                AuditChange(field: "attributes.seats", before: "5", after: "6"),
                AuditChange(field: "attributes.tags", before: "a, b", after: "a"),
                AuditChange(field: "name", before: "Old", after: "New"),
            ])
        #expect(AuditChanges.between(before, before, .live) == nil)
        #expect(AuditChanges.between(nil as Tenant?, nil, .live) == nil)
    }

    @Test func `long values, long names and many fields are cut, and say so`() {
        let long = String(repeating: "é", count: Limits.auditValueBytesMax)
        let cut = list(Self.tenant("Old"), Self.tenant(long + "a"))
        #expect(cut.map(\.after) == [String(repeating: "é", count: Limits.auditValueBytesMax / 2) + "…"])
        #expect(list(Self.tenant(long + "a"), Self.tenant(long + "b")).count == 1, "compared before they are cut")
        let whole = String(repeating: "x", count: Limits.auditValueBytesMax)
        #expect(list(Self.tenant(""), Self.tenant(whole)).map(\.after) == [whole])
        let named = list(Self.tenant("T"), Self.tenant("T", [String(repeating: "n", count: 500): "v"]))
        #expect(named[0].field.utf8.count == Limits.auditFieldBytesMax + "…".utf8.count)
        let many = (0..<50).map { ("a\($0)", JSONValue.string("v")) }
        let told = list(Self.tenant("T"), Self.tenant("T", Dictionary(uniqueKeysWithValues: many)))
        #expect(told.count == Limits.auditChangesMax)
        #expect(told.last == AuditChange(field: "…", before: nil, after: "+31"))
        #expect(list(Self.tenant("T"), Self.tenant("a\u{0}b"))[0].after == "a\u{2400}b")
    }

    @Test func `of secrets only their change is told`() {
        var (one, two) = (TestRows.account, TestRows.account)
        one.passwordHash = "$argon2id$one"
        two.passwordHash = "$argon2id$two"
        #expect(list(one, two) == [AuditChange(field: "password", before: "set", after: "changed")])
        two.passwordHash = nil
        #expect(list(one, two) == [AuditChange(field: "password", before: "set", after: nil)])
        #expect(list(two, one) == [AuditChange(field: "password", before: nil, after: "set")])
        var client = Client(id: "c", metadata: ClientMetadata(), secretDigests: [SecretDigest(of: Secret("one"))])
        let before = client
        client.rotateSecretForTest(Secret("two"))
        #expect(list(before, client) == [AuditChange(field: "client_secret", before: "set", after: "changed")])
        for settings in TestRows.settings {
            let (old, new) = (TestRows.connection(settings("one-secret")), TestRows.connection(settings("two-secret")))
            let told = list(old, new)
            #expect(told.count == 1 && told[0].before == "set" && told[0].after == "changed", "\(told)")
            #expect(!"\(list(nil, new))".contains("two-secret"))
        }
    }

    @Test func `roles are told by their names`() {
        let note = ChangeNote(.live) { ["R1": "admin"][$0] }
        let rule = note.noting { (account: inout Account) in
            account.memberships = Memberships(roles: ["R1", "R2"], tenants: ["t": ["R1"]])
        }
        var account = TestRows.account
        rule(&account)
        #expect(
            note.changes?.list == [
                AuditChange(field: "roles", before: nil, after: "R2, admin"),
                AuditChange(field: "roles.t", before: nil, after: "admin"),
                AuditChange(field: "tenants", before: nil, after: "t"),
            ])
    }

    @Test func `the digest of an event is as the guide says, with values and without`() {
        let event = AuditEvent(.signedOut, at: UnixTime(rawValue: 7), clientID: "é")
        let text = { (text: String) in [1, 0, 0, 0, UInt8(text.utf8.count)] + Array(text.utf8) }
        let plain = AuditChain.beginning + text("sign_out") + text("7") + [0] + text("é") + [0, 0, 0, 0, 0]
        #expect(AuditChain.digest(of: event, after: AuditChain.beginning) == Array(SHA256.hash(data: plain)))
        let changes = AuditChanges([AuditChange(field: "f", before: nil, after: "v")], salt: Self.salt)
        let inner = Array(SHA256.hash(data: Self.salt + text("f") + [0] + text("v")))
        #expect(changes.digest == inner)
        let changed = AuditEvent(.signedOut, at: event.at, clientID: "é", changes: changes)
        let covered = Array(SHA256.hash(data: plain + [1, 0, 0, 0, 32] + inner))
        #expect(AuditChain.digest(of: changed, after: AuditChain.beginning) == covered)
        let record = AuditRecord(
            number: 1, event: event, loginIDs: [], tenants: [], previous: AuditChain.beginning, changesDigest: inner)
        #expect(record.digest == covered, "also when the values are gone")
    }

    /// What `verify` finds in a log of one event.
    private func findings(_ user: UserID?, stored: AuditChanges?) -> (AuditVerification) {
        let changes = AuditChanges([AuditChange(field: "f", before: "1", after: "2")], salt: Self.salt)
        let written = AuditEvent(.userUpdated, at: Self.now, userID: user, changes: changes)
        let read = AuditEvent(.userUpdated, at: Self.now, userID: user, changes: stored)
        var verification = AuditVerification(checkpoints: [], secrets: nil)
        verification.check(
            AuditRecord(
                number: 1, event: read, loginIDs: [], tenants: [], previous: AuditChain.beginning,
                changesDigest: changes.digest))
        let digest = AuditChain.digest(of: written, after: AuditChain.beginning)
        verification.finish(AuditHead(number: 1, digest: digest))
        return verification
    }

    @Test func `other values are found, and values that went with a user are no finding`() {
        let good = AuditChanges([AuditChange(field: "f", before: "1", after: "2")], salt: Self.salt)
        #expect(findings(nil, stored: good).findings.isEmpty)
        let changed = AuditChanges([AuditChange(field: "f", before: "1", after: "3")], salt: Self.salt)
        let salted = AuditChanges(good.list, salt: [0] + Self.salt.dropFirst())
        for other in [changed, salted, AuditChanges([], salt: Self.salt)] {
            #expect(findings(UserID(rawValue: "u"), stored: other).findings == [.changesAltered(number: 1)])
        }
        #expect(findings(nil, stored: nil).findings == [.changesMissing(number: 1)])
        let erased = findings(UserID(rawValue: "u"), stored: nil)
        #expect(erased.findings.isEmpty && erased.erased == 1)
    }
}

private enum TestRows {
    static let account = Account(
        user: User(id: UserID(rawValue: "u"), createdAt: UnixTime(rawValue: 1), updatedAt: UnixTime(rawValue: 1)),
        identifiers: [:], passwordHash: nil)

    static let settings: [@Sendable (String) -> Connection.Settings] = [
        { .openID(OpenIDConnectionSettings(clientID: "c", clientSecret: $0)) },
        { .ldap(LDAPConnectionSettings(url: "ldaps://x", bindDN: "cn=x", bindPassword: $0, baseDN: "dc=x")) },
    ]

    static func connection(_ settings: Connection.Settings) -> Connection {
        Connection(
            id: "c", name: "C", settings: settings, createdAt: UnixTime(rawValue: 1), updatedAt: UnixTime(rawValue: 1))
    }
}

extension Client {
    fileprivate mutating func rotateSecretForTest(_ secret: Secret) { secretDigests = [SecretDigest(of: secret)] }
}
