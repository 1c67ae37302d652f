import Foundation
import KeyturnBase
import KeyturnJose
import Model
import SignIn
import StoreSQL
import Testing

@testable import keyturn

@Suite("Bringing in users with their authenticators")
struct AuthenticatorImportTests {
    let place: Place
    private static let key = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
    private static let other = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    init() throws {
        place = try Place()
    }

    private static func row(_ key: String, _ more: String = "") -> String {
        #"{"email":"ann@example.com","email_verified":true,"totp_secret":"\#(key)"\#(more)}"#
    }

    private func words(_ entries: [ImportReport.Entry]) -> [String] { entries.map(\.word.rawValue) }

    /// The key that the server would check codes with.
    private func stored(_ secrets: ServerSecrets) throws -> String? {
        let opened = try SQLiteDatabase(path: place.database)
        defer { opened.close() }
        var found: [String] = []
        try opened.eachAccountWithAuthenticator { _, authenticator in
            guard let authenticator else { return }
            let secret = try #require(TOTPSeal(secrets, ambient: .live).open(authenticator))
            #expect(authenticator.isConfirmed && authenticator.usedStep == -1)
            found.append(secret.base32.exposed())
        }
        #expect(found.count <= 1)
        return found.first
    }

    @Test func `an authenticator comes along, sealed, counts at once, and the same row again changes nothing`()
        async throws
    {
        let secrets = try place.makeSecrets()
        #expect(words(try await place.bring(Self.row(Self.key))) == ["created"])
        #expect(try await place.account("ann@example.com")?.hasAuthenticator == true)
        #expect(try stored(secrets) == Self.key)
        #expect(words(try await place.bring(Self.row(Self.key))) == ["unchanged"])
        let data = try Data(contentsOf: URL(fileURLWithPath: place.database))
        #expect(data.range(of: Data(Self.key.utf8)) == nil)
        #expect(data.range(of: Data(TOTPSecret(typed: Secret(Self.key))?.bytes ?? [0])) == nil)
    }

    @Test func `one that is there stays, whatever the file says`() async throws {
        let secrets = try place.makeSecrets()
        _ = try await place.bring(Self.row(Self.key))
        for replaces in [true, false] {
            let plan = UserImportPlan(rule: .update, replacesPasswords: replaces)
            #expect(words(try await place.bring(Self.row(Self.other), plan)) == ["unchanged"])
            #expect(
                words(try await place.bring(Self.row(Self.other, #","name":"Ann \#(replaces)""#), plan)) == ["updated"])
        }
        #expect(try stored(secrets) == Self.key)
    }

    @Test func `somebody without one gets it by an update, and nobody by a rehearsal or without being asked`()
        async throws
    {
        let secrets = try place.makeSecrets()
        _ = try await place.bring(#"{"email":"ann@example.com","email_verified":true}"#)
        #expect(words(try await place.bring(Self.row(Self.key))) == ["refused"])
        let rehearsal = UserImportPlan(rule: .update, isRehearsal: true)
        #expect(words(try await place.bring(Self.row(Self.key), rehearsal)) == ["updated"])
        #expect(try stored(secrets) == nil)
        #expect(words(try await place.bring(Self.row(Self.key), UserImportPlan(rule: .update))) == ["updated"])
        #expect(try stored(secrets) == Self.key)
    }

    @Test func `without the server's secrets nothing is sealed that it could not open`() async throws {
        try place.write(Self.row(Self.key), "users.jsonl")
        let without = try place.run("user", "import", place.path("users.jsonl"))
        #expect(without.status == 2 && without.errors.contains("secrets"))
        #expect(!FileManager.default.fileExists(atPath: place.database + ".secrets"))
        #expect(try place.userCount() == 0)

        let database = try SQLiteDatabase(path: place.database)
        let rotation = KeyRotation(
            store: database.stores().keys, secrets: try place.makeSecrets(), tokenSecondsMax: 0, ambient: .live)
        _ = try await rotation.rotate(.es256)
        database.close()
        let foreign = Data((0..<32).map { _ in UInt8(7) }).base64EncodedString()
        try place.write("secrets: [ \"\(foreign)\" ]", "other.yaml")
        let wrong = try place.run("user", "import", place.path("users.jsonl"), "--config", place.path("other.yaml"))
        #expect(wrong.status == 2 && wrong.errors.contains("are not those that sealed"))
        #expect(try place.userCount() == 0)
        #expect(try place.run("user", "import", place.path("users.jsonl")).status == 0)
        #expect(try place.userCount() == 1)
    }

    @Test func `an export has keys with hashes only, and brings them back`() async throws {
        _ = try place.makeSecrets()
        _ = try await place.bring(Self.row(Self.key))
        #expect(try place.run("user", "export", "--output", place.path("plain.jsonl")).status == 0)
        #expect(try !place.read("plain.jsonl").contains("totp_secret"))
        #expect(try place.run("user", "export", "--with-hashes", "--output", place.path("all.jsonl")).status == 0)
        #expect(try place.lines("all.jsonl").first?["totp_secret"] == .string(Self.key))
        #expect(try place.mode("all.jsonl") == 0o600)

        let elsewhere = try Place()
        let secrets = try elsewhere.makeSecrets()
        #expect(try elsewhere.run("user", "import", place.path("all.jsonl")).status == 0)
        #expect(try AuthenticatorImportTests(elsewhere).stored(secrets) == Self.key)
        #expect(
            try elsewhere.run("user", "import", place.path("all.jsonl"), "--json").output.contains("\"unchanged\":1"))
    }

    private init(_ place: Place) {
        self.place = place
    }
}
