public import KeyturnBase
internal import Synchronization

/// Notes what a change does, for the event that tells of it: set where the change is made, read where the event is.
public final class ChangeNote: Sendable {
    private let list = Mutex<[AuditChange]>([])
    private let salt: [UInt8]
    private let roleName: @Sendable (String) -> String?

    /// - Parameter roleName: the name of a role by its identifier, which stands for a role that is not known.
    public init(_ ambient: Ambient, roleName: @escaping @Sendable (String) -> String? = { _ in nil }) {
        salt = ambient.randomBytes(Limits.auditSaltBytes)
        self.roleName = roleName
    }

    /// `nil`: nothing that the log tells was changed.
    public var changes: AuditChanges? {
        let list = list.withLock { $0 }
        return list.isEmpty ? nil : AuditChanges(list, salt: salt)
    }

    /// Notes a change, in the place of what was noted before.
    ///
    /// - Parameters:
    ///   - before: `nil`: it is new.
    ///   - after: `nil`: it is gone.
    public func set<Value: Audited>(from before: Value?, to after: Value?) {
        let name = { (id: String) in self.roleName(id) ?? id }
        let found = AuditFields.changes(from: before?.auditFields(name), to: after?.auditFields(name))
        list.withLock { $0 = found }
    }

    /// The same rule, whose effect is noted. A store may run it again: the last run counts.
    public func noting<Value: Audited>(
        _ rule: @escaping @Sendable (inout Value) -> Void
    ) -> @Sendable (inout Value) -> Void {
        { value in
            let before = value
            rule(&value)
            self.set(from: before, to: value)
        }
    }
}

extension AuditChanges {
    /// What makes one value of another; `nil`: nothing that the log tells.
    public static func between<Value: Audited>(
        _ before: Value?, _ after: Value?, _ ambient: Ambient
    ) -> AuditChanges? {
        let note = ChangeNote(ambient)
        note.set(from: before, to: after)
        return note.changes
    }
}
