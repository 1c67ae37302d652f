internal import Synchronization

internal import KeyturnWire
/// Every client, in memory: asking for one costs no query.
public final class ClientDirectory: Sendable {
    private struct Snapshot: Sendable {
        var clients: [String: Client] = [:]
        var origins: Set<String> = []
        /// Of the operator's own clients.
        var ownOrigins: Set<String> = []
    }

    private let snapshot = Mutex(Snapshot())
    private let store: any ClientStore

    public init(store: any ClientStore) {
        self.store = store
    }

    /// Reads every client anew. Called at start, and whenever the database says that something changed.
    public func reload() async throws(StoreError) {
        let clients = try await store.all(limit: Limits.clientsMax)
        let origins = { (clients: [Client]) in
            Set(clients.flatMap { $0.metadata.redirectURIs ?? [] }.compactMap(RedirectURI.webOrigin))
        }
        let fresh = Snapshot(
            clients: Dictionary(clients.map { ($0.id, $0) }) { first, _ in first }, origins: origins(clients),
            ownOrigins: origins(clients.filter(\.isFirstParty)))
        snapshot.withLock { $0 = fresh }
    }

    /// The client of this identifier.
    public func client(_ id: String) -> Client? {
        snapshot.withLock { $0.clients[id] }
    }

    /// Whether a page of this origin belongs to a client, so that its scripts may call us.
    public func isKnownOrigin(_ origin: String) -> Bool {
        snapshot.withLock { $0.origins.contains(origin) }
    }

    /// Whether a page of this origin belongs to one of the operator's own clients, so that what signs a person in may lead
    /// there. A client of somebody else's gets what the person allows it, and no more.
    public func isOwnOrigin(_ origin: String) -> Bool {
        snapshot.withLock { $0.ownOrigins.contains(origin) }
    }

    /// How many clients there are.
    public var count: Int { snapshot.withLock { $0.clients.count } }
}
