public import Authority

extension Subject {
    public static func of(_ connection: Connection) -> Subject {
        .connection(connection.id, tenant: connection.tenantID)
    }
}

extension Grounds {
    /// - Returns: the identifier of the connection that the permission concerns.
    /// - Throws: ``StoreError``, `forbidden`, if it concerns none.
    public func requireConnection() throws(StoreError) -> String {
        guard let connectionID else { throw StoreError(.forbidden) }
        return connectionID
    }

    /// - Throws: ``StoreError``, `forbidden`, if the permission is for another connection, or for another tenant's.
    public func requireConnection(_ connection: StoredConnection) throws(StoreError) {
        guard connectionID == connection.id, tenant == connection.tenantID else { throw StoreError(.forbidden) }
    }
}
