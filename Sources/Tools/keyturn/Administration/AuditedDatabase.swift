internal import Authority
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

    /// A note for one change, which its rule sets: `recording(…, note: note)` and `note.noting { … }`.
    var note: ChangeNote { ChangeNote(.live, roleName: access.roleName) }

    /// A note of a change that is known before it is made.
    func note<Value: Audited>(from before: Value?, to after: Value?) -> ChangeNote {
        let note = note
        note.set(from: before, to: after)
        return note
    }

    /// The stores for the one write that this event tells of.
    ///
    /// - Parameter note: what was there before and after, read when the write was made.
    func recording(
        _ kind: AuditEvent.Kind, user: UserID? = nil, client: String? = nil, target: String? = nil,
        reason: String? = nil, note: ChangeNote? = nil
    ) -> Stores {
        let now = Ambient.live.now()
        return database.stores(recording: {
            [
                AuditEvent(
                    kind, at: now, userID: user, clientID: client, reason: reason, actor: Operator.actor.name,
                    target: target, changes: note?.changes)
            ]
        })
    }
}

extension AuditedDatabase {
    /// What the rulebook gives to a command: an owner's rights. They do not depend on settings.
    static func permit<A: SingleAct>(_ act: A.Type, on subject: Subject) throws(StoreError) -> Allowed<A> {
        try rulebook.permission(act, to: Operator.actor.caller, on: subject)
    }

    /// The permission to change a tenant or its roles; `nil`: the project's roles.
    static func permitTenants(of tenant: String?) throws(StoreError) -> Allowed<Acts.ChangeTenants> {
        try permit(Acts.ChangeTenants.self, on: .project(tenant: tenant))
    }

    /// The permission to change an account's row.
    static func permitChange(of account: Account) throws(StoreError) -> Allowed<Acts.ChangeAccount> {
        try rulebook.machinePermission(.command, on: account)
    }

    private static let rulebook = Rulebook(AuthorityPolicy())
}

/// Who runs this program.
enum Operator {
    /// `operator:` and the name of the system user; its number, if it has no name. A command on the database has the
    /// rights of an owner.
    static var actor: Actor {
        let name = ProcessInfo.processInfo.userName
        return Actor("operator:\(name.isEmpty ? String(getuid()) : String(name.prefix(64)))", .machine(.command))
    }
}
