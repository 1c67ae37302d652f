import Foundation
import KeyturnBase
import Model
import SignIn
import StoreSQL
import Testing

@testable import keyturn

/// A folder with a database of its own, and the built program to run in it.
struct Place {
    struct Run {
        let status: Int32
        let output: String
        let errors: String
    }

    let folder: URL
    var database: String { path("users.db") }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("keyturn-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try SQLiteDatabase(path: database).close()
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    @discardableResult
    func write(_ text: String, _ name: String) throws -> String {
        try write(Array(text.utf8), name)
    }

    @discardableResult
    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: folder.appendingPathComponent(name))
        return path(name)
    }

    func read(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }

    /// The lines of a report, or of an export.
    func lines(_ name: String) throws -> [JSONValue] {
        try read(name).split(separator: "\n").map { try JSONValue(parsing: $0.utf8) }
    }

    func mode(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }

    /// Brings rows in, in this process.
    func bring(
        _ text: String, _ plan: UserImportPlan = UserImportPlan(), from firstLine: Int = 1,
        format: UserFileFormat? = nil
    ) async throws -> [ImportReport.Entry] {
        try await bring(Array(text.utf8), plan, from: firstLine, format: format)
    }

    func bring(
        _ bytes: [UInt8], _ plan: UserImportPlan = UserImportPlan(), from firstLine: Int = 1,
        format: UserFileFormat? = nil
    ) async throws -> [ImportReport.Entry] {
        let opened = try SQLiteDatabase(path: database)
        defer { opened.close() }
        let stores = opened.stores()
        let access = AccessDirectory(tenants: stores.tenants, roles: stores.roles)
        try await access.reload()
        let cheap = Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 1)
        let importer = UserImporter(
            store: opened.userImport(), reader: UserRowReader(access: access, ambient: .live),
            passwords: RowPasswords(
                users: stores.users,
                passwords: Passwords(pool: HashingPool(threads: 2), parameters: cheap, ambient: .live), width: 4),
            authenticators: RowAuthenticators(stores: stores, configuration: configuration), plan: plan,
            ledger: try NameLedger())
        let report = path("report-\(Ambient.live.randomToken(byteCount: 8))")
        var result = ImportReport(file: try PrivateFile(path: report))
        var position = 0
        var rows = try UserRows(
            {
                // Small pieces: whatever is cut in two must be put together again.
                let end = min(position + 7, bytes.count)
                defer { position = end }
                return Array(bytes[position..<end])
            }, format: format, firstLine: firstLine)
        try await importer.run(&rows, &result)
        let text = try String(contentsOfFile: report, encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            let json = try JSONValue(parsing: line.utf8)
            return ImportReport.Entry(
                line: Int(json["line"]?.integerValue ?? 0),
                word: try #require(json["outcome"]?.stringValue.flatMap(ImportReport.Entry.Word.init)),
                user: json["sub"]?.stringValue.map(UserID.init(rawValue:)), reason: json["reason"]?.stringValue)
        }
    }

    /// What a server on this database would be told.
    private var configuration: ServerConfiguration {
        var configuration = ServerConfiguration()
        configuration.database = .file(database)
        return configuration
    }

    /// Makes the server's secrets, as its first start does.
    func makeSecrets() throws -> ServerSecrets {
        try #require(ServerSecrets(try SecretsFile.secrets(for: configuration)))
    }

    func account(_ loginID: String) async throws -> Account? {
        let opened = try SQLiteDatabase(path: database)
        defer { opened.close() }
        return try await opened.stores().users.account(try #require(Identifier(loginID: loginID)))
    }

    func userCount() throws -> Int {
        let opened = try SQLiteDatabase(path: database)
        defer { opened.close() }
        var count = 0
        try opened.eachAccount { _ in count += 1 }
        return count
    }

    /// The program beside the tests.
    static var program: URL {
        URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("keyturn")
    }

    /// - Parameter namesDatabase: whether the program works on this place's database.
    func start(
        _ arguments: [String], input: String = "", environment: [String: String] = [:], namesDatabase: Bool = true
    ) throws -> (process: Process, output: URL, errors: URL) {
        let process = Process()
        process.executableURL = Self.program
        process.arguments = arguments + (namesDatabase ? ["--database", "sqlite:\(database)"] : [])
        let name = Ambient.live.randomToken(byteCount: 8)
        let files = ["in", "out", "err"].map { folder.appendingPathComponent("\(name).\($0)") }
        try Data(input.utf8).write(to: files[0])
        for file in files.dropFirst() { try Data().write(to: file) }
        process.standardInput = try FileHandle(forReadingFrom: files[0])
        process.standardOutput = try FileHandle(forWritingTo: files[1])
        process.standardError = try FileHandle(forWritingTo: files[2])
        process.environment = environment.merging(["HOME": folder.path, "PATH": "/usr/bin:/bin"]) { first, _ in first }
        try process.run()
        return (process, files[1], files[2])
    }

    /// Runs the built program on this place's database.
    func run(
        _ arguments: String..., input: String = "", environment: [String: String] = [:], namesDatabase: Bool = true
    ) throws -> Run {
        let (process, output, errors) = try start(
            arguments, input: input, environment: environment, namesDatabase: namesDatabase)
        process.waitUntilExit()
        return Run(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }
}
