import Authority
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

    func add(_ client: Client, by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try await base.add(client, by: permission, at: now)
    }

    func change(
        by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Client) -> Void
    ) async throws(StoreError) -> Client {
        try await base.change(by: permission, at: now, rule)
    }

    func all(limit: Int) async throws(StoreError) -> [Client] {
        try await base.all(limit: limit)
    }

    func put(_ client: Client, by permission: borrowing Allowed<Acts.ChangeClient>, at now: UnixTime)
        async throws(StoreError)
    {
        try await base.put(client, by: permission, at: now)
    }

    func register(
        _ client: Client, by permission: borrowing Allowed<Acts.RegisterClient>, max: Int, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await base.register(client, by: permission, max: max, at: now)
    }

    func replace(_ client: Client, by permission: borrowing Allowed<Acts.RegisterClient>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try await base.replace(client, by: permission, at: now)
    }

    func removeUnused(by permission: borrowing Allowed<Acts.RemoveClient>, before time: UnixTime, limit: Int)
        async throws(StoreError) -> [String]
    {
        try await base.removeUnused(by: permission, before: time, limit: limit)
    }

    func remove(by permission: borrowing Allowed<Acts.RemoveClient>, at now: UnixTime) async throws(StoreError) -> Bool
    {
        try await base.remove(by: permission, at: now)
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
