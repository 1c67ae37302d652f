internal import KeyturnBase
internal import KeyturnJose
internal import KeyturnWire
public import Model
internal import Synchronization

/// Every client, in memory: a look-up costs no query.
public final class ClientDirectory: Sendable {
    private struct Snapshot: Sendable {
        var reading = 0
        var clients: [String: Client] = [:]
        var keys: [String: any RemoteJWKS] = [:]
        var origins: Set<String> = []
        /// Audiences of the clients that are resource servers.
        var resources: Set<String> = []
        /// What the operator calls those audiences.
        var resourceNames: [String: String] = [:]
        /// Origins of the operator's own clients.
        var ownOrigins: Set<String> = []
        /// The private schemes of their apps.
        var ownSchemes: Set<String> = []
        var profiles: Set<ClientProfile> = []
        var hasBackchannel = false
    }

    private let snapshot = Mutex(Snapshot())
    private let readings = Mutex(0)
    /// Fetched key sets by address: a reload keeps what was fetched.
    private let fetched = Mutex<[String: any RemoteJWKS]>([:])
    private let store: any ClientStore
    private let isShared: Bool
    /// Whether an unknown client is being looked up: one at a time, so that requests that name one cost no more.
    private let isLooking = Mutex(false)
    private let keyClient: any RemoteJWKSClient
    private let registration: RegistrationSettings?

    /// - Parameters:
    ///   - isShared: whether other servers may register clients.
    ///   - keyClient: fetches the keys of clients that registered a `jwks_uri`.
    ///   - registration: the operator's rules for clients that registered themselves; `nil`: as for every client.
    public init(
        store: any ClientStore, isShared: Bool, keyClient: any RemoteJWKSClient = NoRemoteJWKS(),
        registration: RegistrationSettings? = nil
    ) {
        self.store = store
        self.isShared = isShared
        self.keyClient = keyClient
        self.registration = registration
    }

    /// Reads every client again. Called at start, and whenever the database says that something changed.
    public func reload() async throws(StoreError) {
        // A reading that began later is newer: an earlier one that ends later must not replace it.
        let reading = readings.withLock { count in
            count += 1
            return count
        }
        let settings = registration ?? RegistrationSettings()
        let clients = try await store.all(limit: Limits.clientsMax).map { $0.within(settings) }
        let origins = { (clients: [Client]) in
            Set(clients.flatMap { $0.metadata.redirectURIs ?? [] }.compactMap(URIParts.origin(of:)))
        }
        let fresh = Snapshot(
            reading: reading, clients: Dictionary(clients.map { ($0.id, $0) }) { first, _ in first },
            keys: keys(of: clients),
            origins: origins(clients),
            resources: Set(clients.flatMap(\.resources)), resourceNames: Self.resourceNames(clients),
            ownOrigins: origins(clients.filter(\.isFirstParty)),
            ownSchemes: Self.privateSchemes(clients.filter(\.isFirstParty)),
            profiles: Set(clients.map(\.profile)), hasBackchannel: clients.contains { $0.allows(.ciba) })
        snapshot.withLock { if $0.reading < reading { $0 = fresh } }
    }

    /// The client of this identifier.
    public func client(_ id: String) -> Client? {
        snapshot.withLock { $0.clients[id] }
    }

    /// The client of this identifier, also if another server registered it a moment ago.
    ///
    /// - Throws: ``StoreError`` if the database did not answer.
    func found(_ id: String) async throws(StoreError) -> Client? {
        if let client = client(id) { return client }
        guard isShared,
            isLooking.withLock({ isLooking in
                defer { isLooking = true }
                return !isLooking
            })
        else { return nil }
        defer { isLooking.withLock { $0 = false } }
        guard try await store.contains(id) else { return nil }
        try await reload()
        return client(id)
    }

    /// The keys that a client registered; `nil` for a client without any.
    func keys(of clientID: String) -> (any RemoteJWKS)? {
        snapshot.withLock { $0.keys[clientID] }
    }

    private func keys(of clients: [Client]) -> [String: any RemoteJWKS] {
        let addresses = Set(clients.compactMap(\.metadata.jwksURI))
        let remote = fetched.withLock { fetched in
            fetched = fetched.filter { addresses.contains($0.key) }
            for address in addresses where fetched[address] == nil { fetched[address] = keyClient.keys(at: address) }
            return fetched
        }
        var keys: [String: any RemoteJWKS] = [:]
        for client in clients {
            if let set = client.metadata.jwks {
                keys[client.id] = (try? JSONWebKeySet(parsing: set.serialized)).map(StaticJWKS.init)
            } else if let address = client.metadata.jwksURI {
                keys[client.id] = remote[address]
            }
        }
        return keys
    }

    /// Whether tokens for this audience are for a registered client.
    package func isResource(_ audience: String) -> Bool {
        snapshot.withLock { $0.resources.contains(audience) }
    }

    /// Services as pages show them, ordered by address. No client that registered itself names one.
    public func named(_ resources: Set<String>) -> [NamedResource] {
        let names = snapshot.withLock { $0.resourceNames }
        return resources.sorted().map { NamedResource(uri: $0, name: names[$0]) }
    }

    private static func resourceNames(_ clients: [Client]) -> [String: String] {
        var names: [String: String] = [:]
        for client in clients.sorted(by: { $0.id < $1.id }) where client.registration == nil {
            guard let name = client.metadata.clientName else { continue }
            for uri in client.resources where names[uri] == nil { names[uri] = name }
        }
        return names
    }

    /// Whether a page of this origin belongs to a client, so that its scripts may call this server.
    public func isKnownOrigin(_ origin: String) -> Bool {
        snapshot.withLock { $0.origins.contains(origin) }
    }

    /// Whether a page of this origin belongs to one of the operator's own clients, so that a sign-in may lead there. A
    /// third-party client gets only what the user allows.
    public func isOwnOrigin(_ origin: String) -> Bool {
        snapshot.withLock { $0.ownOrigins.contains(origin) }
    }

    /// Whether an app of the operator's own has the scheme, which is not one of the web's.
    func isOwnScheme(_ scheme: String) -> Bool {
        snapshot.withLock { $0.ownSchemes.contains(scheme) }
    }

    private static func privateSchemes(_ clients: [Client]) -> Set<String> {
        let uris = clients.map(\.metadata).flatMap { ($0.redirectURIs ?? []) + ($0.postLogoutRedirectURIs ?? []) }
        return Set(uris.compactMap { URIParts($0)?.scheme }).subtracting(["http", "https"])
    }

    /// Whether any client has this profile.
    func hasClient(of profile: ClientProfile) -> Bool {
        snapshot.withLock { $0.profiles.contains(profile) }
    }

    /// Whether any client may ask for sign-ins on another device.
    public var hasBackchannelClient: Bool { snapshot.withLock { $0.hasBackchannel } }

    /// Every client, ordered by identifier.
    package var all: [Client] { snapshot.withLock { $0.clients.values }.sorted { $0.id < $1.id } }

    /// How many clients there are.
    public var count: Int { snapshot.withLock { $0.clients.count } }
}
