import KeyturnBase
import Model

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingClientStore: ClientStore {
    var base: any ClientStore { get }
}

extension ForwardingClientStore {
    func contains(_ clientID: String) async throws(StoreError) -> Bool {
        try await base.contains(clientID)
    }

    func find(_ clientID: String) async throws(StoreError) -> Client? {
        try await base.find(clientID)
    }

    func add(_ client: Client, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.add(client, at: now)
    }

    func change(_ clientID: String, at now: UnixTime, _ rule: @escaping @Sendable (inout Client) -> Void)
        async throws(StoreError) -> Client
    {
        try await base.change(clientID, at: now, rule)
    }

    func all(limit: Int) async throws(StoreError) -> [Client] {
        try await base.all(limit: limit)
    }

    func put(_ client: Client, at now: UnixTime) async throws(StoreError) {
        try await base.put(client, at: now)
    }

    func register(_ client: Client, max: Int, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.register(client, max: max, at: now)
    }

    func replace(_ client: Client, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.replace(client, at: now)
    }

    func removeUnused(before time: UnixTime, limit: Int) async throws(StoreError) -> [String] {
        try await base.removeUnused(before: time, limit: limit)
    }

    func remove(_ clientID: String, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.remove(clientID, at: now)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingPushedRequestStore: PushedRequestStore {
    var base: any PushedRequestStore { get }
}

extension ForwardingPushedRequestStore {
    func add(_ request: PushedRequest, max: Int?, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.add(request, max: max, at: now)
    }

    func find(_ digest: SecretDigest) async throws(StoreError) -> PushedRequest? {
        try await base.find(digest)
    }

    func isUnused(_ ticket: TransactionTicket, of clientID: String) async throws(StoreError) -> Bool {
        try await base.isUnused(ticket, of: clientID)
    }

    @discardableResult
    func use(_ ticket: TransactionTicket, of clientID: String) async throws(StoreError) -> Bool {
        try await base.use(ticket, of: clientID)
    }
}
