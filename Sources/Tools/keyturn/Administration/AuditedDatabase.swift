internal import Foundation
internal import KeyturnBase
internal import Model
internal import StoreSQL

/// The database of a command that changes something. Each change and its audit event are one transaction.
struct AuditedDatabase: Sendable {
    let stores: Stores
    let access: AccessDirectory
    private let database: any SQLDatabase

    /// Reads the names of tenants and roles.
    init(_ database: any SQLDatabase) async throws {
        self.database = database
        stores = database.stores()
        access = AccessDirectory(tenants: stores.tenants, roles: stores.roles)
        try await access.reload()
    }

    /// The stores for the one write that this event tells of.
    func recording(
        _ kind: AuditEvent.Kind, user: UserID? = nil, client: String? = nil, target: String? = nil,
        reason: String? = nil
    ) -> Stores {
        database.stores(recording: [
            AuditEvent(
                kind, at: Ambient.live.now(), userID: user, clientID: client, reason: reason, actor: Operator.actor,
                target: target)
        ])
    }
}

/// Who runs this program.
enum Operator {
    /// `operator:` and the name of the system user; its number, if it has no name.
    static var actor: String {
        let name = ProcessInfo.processInfo.userName
        return "operator:\(name.isEmpty ? String(getuid()) : String(name.prefix(64)))"
    }
}
