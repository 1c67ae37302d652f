internal import Foundation
internal import GRDB
public import Model

/// The identifier of the project, which apps and their tokens name.
extension SQLiteDatabase {
    /// The project's identifier from now on: the one that the configuration gives; otherwise the one that is kept here,
    /// and if there is none, `fresh`. Of two servers that start at once, both get the same.
    ///
    /// - Throws: ``StoreError``.
    public func projectID(configured: String?, fresh: String) async throws(StoreError) -> String {
        try await write { db in
            let conflict = configured == nil ? "DO NOTHING" : "DO UPDATE SET id = excluded.id WHERE id <> excluded.id"
            try db.run(
                "INSERT INTO project (only, id) VALUES (1, ?) ON CONFLICT (only) \(conflict)", [configured ?? fresh])
            guard let id = try db.first("SELECT id FROM project", [])?["id"] as String? else {
                throw StoreError(.unavailable)
            }
            return id
        }
    }

    /// The project's identifier in a database file, which is not changed; `nil` if there is none yet, or no such file.
    public static func projectID(path: String) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try? DatabaseQueue(path: path, configuration: configuration)
        return try? queue?.read { db in try String.fetchOne(db, sql: "SELECT id FROM project") }
    }
}
