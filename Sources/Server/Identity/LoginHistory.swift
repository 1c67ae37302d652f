public import KeyturnWire
public import Model

extension IdentityServices {
    /// The last sign-ins of users, newest first, at most ``Limits/historyMax``. City and country are unknown.
    public func loginHistory(of users: [UserID]) async throws(StoreError) -> [LoginHistoryAnswer] {
        guard !users.isEmpty else { return [] }
        var query = AuditQuery()
        query.kinds = [.signedIn, .sessionOpened]
        query.users = users
        query.limit = Limits.historyMax
        return try await auditEvents(query).map { event in
            LoginHistoryAnswer(userID: event.userID?.rawValue ?? "", loginTime: event.at, ip: event.address ?? "")
        }
    }

    /// One page of audit events, including the latest ones.
    public func auditEvents(_ query: AuditQuery) async throws(StoreError) -> [AuditEvent] {
        try await auditRecords(query).map(\.event)
    }

    /// One page of audit records, including the latest ones.
    public func auditRecords(_ query: AuditQuery) async throws(StoreError) -> [AuditRecord] {
        // The latest events may still wait to be written. If that fails, they are missing here.
        try? await auditLog.write()
        return try await stores.audit.records(query)
    }
}
