internal import Foundation
public import KeyturnBase

/// Seals connections for the store: a copy of the database does not contain their secrets.
public struct ConnectionSeal: Sendable {
    private let seal: Seal

    public init(_ secrets: ServerSecrets, ambient: Ambient) {
        seal = Seal(secrets, purpose: .connection, ambient: ambient)
    }

    /// The connection in the form in which it is stored.
    public func close(_ connection: Connection) -> StoredConnection {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let text = try? encoder.encode(connection) else { preconditionFailure("a connection is plain values") }
        return StoredConnection(
            id: connection.id, tenantID: connection.tenantID,
            sealed: seal.seal(Array(text), context: Array(connection.id.utf8)))
    }

    /// The connection; `nil` if another server sealed it, or for another identifier or tenant.
    public func open(_ stored: StoredConnection) -> Connection? {
        guard let text = seal.open(stored.sealed, context: Array(stored.id.utf8)),
            var connection = try? JSONDecoder().decode(Connection.self, from: Data(text)),
            connection.id == stored.id, connection.tenantID == stored.tenantID
        else { return nil }
        // Earlier releases kept international domains as they were typed.
        connection.domains = connection.domains.map { EmailDomain($0)?.name ?? $0 }
        connection.vouchedDomains = connection.vouchedDomains.map { EmailDomain($0)?.name ?? $0 }
        return connection
    }
}
