import Foundation
import KeyturnBase
import KeyturnJose
import Model
import StoreSQL
import Testing

@testable import keyturn

@Suite("A database and the secrets that belong to it")
struct DatabaseSecretsTests {
    let place: Place

    /// A database as a server leaves it: with a key that its secrets sealed.
    init() async throws {
        place = try Place()
        let secrets = try place.makeSecrets()
        let database = try SQLiteDatabase(path: place.database)
        let keys = KeyRing(store: database.stores().keys, secrets: secrets, tokenSecondsMax: 60, ambient: .live)
        #expect(try await keys.maintain([.es256]).count == 1)
        database.close()
    }

    private var secretsFile: String { place.database + ".secrets" }

    /// What stands in the folder of the database, but for the index of the log, which holds no data.
    private func files() throws -> [String: Data] {
        var files: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
        where name.hasPrefix("users.db") && !name.hasSuffix("-shm") {
            files[name] = try Data(contentsOf: place.folder.appendingPathComponent(name))
        }
        return files
    }

    private func expectRefusals(_ sentence: String, _ environment: [String: String] = [:]) throws {
        let before = try files()
        let commands = [
            ["serve", "--listen", "127.0.0.1:0"], ["user", "list"], ["key", "list"], ["key", "rotate"],
            ["message", "test", "a@example.com"], ["client", "list"],
        ]
        for command in commands {
            let (process, _, errors) = try place.start(command, environment: environment)
            process.waitUntilExit()
            let text = try String(contentsOf: errors, encoding: .utf8)
            #expect(process.terminationStatus == 2, "\(command): \(text)")
            #expect(text.contains(sentence) && text.contains("Nothing was changed."), "\(command): \(text)")
            #expect(try files() == before, "\(command)")
        }
    }

    @Test func `without its secrets it is refused, by every command, and stays as it is`() throws {
        try FileManager.default.removeItem(atPath: secretsFile)
        try expectRefusals("\(secretsFile) is missing.")
    }

    @Test func `with secrets of another server it is refused in the same way`() throws {
        let mine = try Data(contentsOf: URL(fileURLWithPath: secretsFile))
        try FileManager.default.removeItem(atPath: secretsFile)
        _ = try place.makeSecrets()
        try expectRefusals("the secrets in \(secretsFile) are not those")
        let other = Data(ServerSecrets.random(.live)).base64EncodedString()
        try expectRefusals("the configured secrets", ["KEYTURN_SECRETS": other])
        let right = String(decoding: mine, as: UTF8.self).trimmingCharacters(in: .newlines)
        let run = try place.run("key", "list", environment: ["KEYTURN_SECRETS": "\(other),\(right)"])
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test func `a database of an earlier release is not migrated without its secrets`() throws {
        try FileManager.default.removeItem(atPath: secretsFile)
        let before = try files()
        #expect(throws: OpenProblem.notAdmitted) { try SQLiteDatabase(path: place.database, admits: { _ in false }) }
        #expect(try files() == before)
    }
}
