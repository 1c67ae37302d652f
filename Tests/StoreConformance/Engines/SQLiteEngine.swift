import Foundation
import KeyturnBase

@testable import StoreSQL

/// SQLite without a file: one process has the database.
struct SQLiteInMemory: Engine {
    let isDurable = false
    let isFillable = true
    var testDescription: String { "SQLite in memory" }

    func makeDatabase() throws -> any TestDatabase {
        SQLiteTestDatabase([try SQLiteDatabase(path: nil)], in: nil)
    }
}

/// SQLite in a file that two processes share.
struct SQLiteFile: Engine {
    let isDurable = true
    let isFillable = true
    var testDescription: String { "SQLite in a file" }

    func makeDatabase() throws -> any TestDatabase {
        try SQLiteTestDatabase.blank()
    }
}

/// Databases of SQLite over one file, or one in memory.
final class SQLiteTestDatabase: TestDatabase {
    let nodes: [Node]
    private let databases: [SQLiteDatabase]
    private let folder: URL?

    init(_ databases: [SQLiteDatabase], in folder: URL?) {
        self.databases = databases
        self.folder = folder
        nodes = databases.map { Node(stores: $0.stores(), imports: $0.userImport(by: "test")) }
    }

    /// Opens the file of a folder twice.
    convenience init(in folder: URL) throws {
        let path = folder.appendingPathComponent(Self.file).path
        self.init([try SQLiteDatabase(path: path), try SQLiteDatabase(path: path)], in: folder)
    }

    deinit {
        for database in databases { database.close() }
        if let folder { try? FileManager.default.removeItem(at: folder) }
    }

    private static let file = "test.db"

    /// A file of the present schema: writing its pages is cheaper by far than taking every step of the schema.
    private static let pages = Result {
        let folder = try makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let made = folder.appendingPathComponent(file)
        try SQLiteDatabase(path: made.path).close()
        return try Data(contentsOf: made)
    }

    /// An empty one.
    static func blank() throws -> SQLiteTestDatabase {
        let folder = try makeFolder()
        try pages.get().write(to: folder.appendingPathComponent(file))
        return try SQLiteTestDatabase(in: folder)
    }

    static func makeFolder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("keyturn-conformance-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Copies the files as they are: what a process had not written when it was killed is not in them. The index of the
    /// log is left behind, as after a restart of the machine. No checkpoint runs meanwhile: a check writes less than the
    /// thousand pages after which SQLite begins one.
    func afterKill() throws -> any TestDatabase {
        guard let folder else { throw CocoaError(.featureUnsupported) }
        let copy = try Self.makeFolder()
        for name in [Self.file, Self.file + "-wal"] {
            try FileManager.default.copyItem(
                at: folder.appendingPathComponent(name), to: copy.appendingPathComponent(name))
        }
        return try SQLiteTestDatabase(in: copy)
    }

    /// Lets no node add a page, and leaves none free. What needs a new page fails.
    func fillDisk() async throws {
        try limitPages { db in try db.first("PRAGMA page_count", [])?[0] ?? 0 }
    }

    func freeDisk() async throws {
        // SQLite's default.
        try limitPages { _ in 0x3FFF_FFFE }
    }

    private func limitPages(_ max: (SQLSession) throws -> Int) throws {
        for database in databases {
            _ = try database.inspect { db in try db.run("PRAGMA max_page_count = \(max(db))", []) }
        }
    }
}
