import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import StoreSQL
import Testing

@Suite("What a copy of the database is worth")
struct SecretDumpTests {
    @Test func `29: codes, links, references, authenticators and recovery codes are nowhere in clear`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "keyturn-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let database = try SQLiteDatabase(path: folder.appendingPathComponent("test.db").path)
        let stores = database.stores()
        let secrets = try #require(ServerSecrets([ServerSecrets.random(.live)]))
        let project = Project(id: "test", name: "Test", issuer: "https://id.example.com")
        let services = IdentityServices(
            project: project, stores: stores, secrets: secrets, hashing: HashingPool(threads: 1),
            keyHashing: HashingPool(threads: 1),
            passwordParameters: Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 1), ambient: .live)
        let (queue, methods) = (services.messages, services.methods)

        let ask = VerificationRequest(.signUp(SignUpDetails()), loginID: "bea@example.com", method: .email)
        _ = try await methods.codes.send(ask)
        _ = try await methods.magicLinks.send(ask)
        let enchanted = try await methods.enchantedLinks.send(ask)
        let authenticator = try await methods.authenticators.signUp(
            loginID: "carl@example.com", details: SignUpDetails(), from: nil)
        let person = try await methods.passwords.signUp(
            loginID: "dora", password: Secret("a-password-in-clear"), from: nil)
        let recovery = try await methods.recoveryCodes.make(for: person.identity.account.user.id)

        let messages = try await queue.newest(limit: 10).map(\.message)
        var texts =
            messages.compactMap(\.code)
            + messages.flatMap(\.links).compactMap { $0.split(separator: "=").last.map(String.init) }
        #expect(texts.count == 5)
        texts += [enchanted.pendingRef.exposed(), authenticator.key.exposed(), "a-password-in-clear"]
        texts += recovery.map { $0.exposed() } + recovery.map { $0.exposed().filter { $0 != "-" } }
        var needles = texts.map { Data($0.utf8) }
        needles += [Data(try #require(Base32.decode(authenticator.key.exposed())))]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let bytes = try Data(contentsOf: folder.appendingPathComponent(name))
            for needle in needles { #expect(bytes.range(of: needle) == nil, "\(name)") }
            if name.hasSuffix("-wal") {
                #expect(bytes.range(of: Data("bea@example.com".utf8)) != nil, "it was looked at")
            }
        }
        database.close()
    }
}
