internal import Foundation
internal import GRDB
internal import Model

extension SQLiteDatabase {
    /// The project's identifier in a database file, which is not changed; `nil` if there is none yet, or no such file.
    public static func projectID(path: String) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try? DatabaseQueue(path: path, configuration: configuration)
        return try? queue?.read { db in try String.fetchOne(db, sql: "SELECT id FROM project") }
    }
}
