internal import KeyturnBase
internal import Model
internal import StoreSQL

/// What the audit log says of backups and restores.
enum BackupAudit {
    /// Writes an event, unless that would change the schema.
    ///
    /// - Returns: why it was not written; `nil` if it was.
    static func record(_ event: AuditEvent, in configuration: ServerConfiguration) async -> String? {
        do {
            guard try isNewest(configuration.database) else {
                return "the database is one of an older release, and stays as it is."
            }
            let database = try ServerRunner.openDatabase(of: configuration)
            defer { database.close() }
            try await database.stores().audit.append([event])
            return nil
        } catch let failure as CommandFailure {
            return failure.sentence
        } catch {
            return "the database cannot be written: \(error)"
        }
    }

    private static func isNewest(_ location: DatabaseLocation) throws -> Bool {
        switch location {
        case .memory: false
        case .file(let path): try PendingSteps(path: path).steps.isEmpty
        case .postgreSQL(let address): try PendingSteps(postgreSQL: address.exposed()).steps.isEmpty
        }
    }
}
