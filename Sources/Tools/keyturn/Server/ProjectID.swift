internal import KeyturnBase
internal import StoreSQL

/// The identifier of an installation's project: no secret, but no two installations share one.
enum ProjectID {
    /// What `keyturn dev` has, so that examples work as they are written.
    static let demonstration = "P2KeyturnDemoProject0000000000"
    /// `P2` and so many letters and digits: 130 bits, in a form that SDKs for this interface accept.
    private static let length = 26

    static func make(_ ambient: Ambient) -> String {
        var text = ""
        while text.count < length { text += ambient.randomToken(byteCount: 32).filter { $0.isLetter || $0.isNumber } }
        return "P2" + text.prefix(length)
    }

    /// The configured one; otherwise the one that the database keeps, or a new one that it keeps from now on.
    static func decide(_ configured: String?, _ database: any SQLDatabase) async throws -> String {
        do {
            return try await database.projectID(configured: configured, fresh: make(.live))
        } catch {
            throw CommandFailure.failed("the database does not answer.")
        }
    }

    /// What a server with this configuration has, in words; looks into the database and changes nothing.
    static func summary(_ configuration: ServerConfiguration) -> String {
        if let id = configuration.project.id { return id }
        switch configuration.database {
        case .memory: return "a new one at each start"
        case .postgreSQL: return "made at the first start, and kept in the database"
        case .file(let path):
            return SQLiteDatabase.projectID(path: path).map { "\($0) (kept in \(path))" }
                ?? "made at the first start, and kept in \(path)"
        }
    }
}
