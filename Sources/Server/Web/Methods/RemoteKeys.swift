internal import AsyncHTTPClient
internal import KeyturnBase
internal import KeyturnJose
public import Logging
internal import Model
internal import NIOCore
internal import NIOHTTP1
public import OAuth

/// Fetches the key sets of other issuers. Follows no redirects, and bounds the answer's size.
public final class RemoteKeyClient: RemoteJWKSClient {
    private let client: HTTPClient
    private let logger: Logger

    public init(logger: Logger) {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        let seconds = Limits.foreignKeyFetchSeconds
        configuration.timeout = .init(connect: .seconds(seconds), read: .seconds(seconds))
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.logger = logger
    }

    /// The keys at an address that the operator configured.
    public func keys(at uri: String) -> any RemoteJWKS {
        RemoteKeys { [client, logger] in
            do {
                let (status, body) = try await Self.fetch(uri, client)
                guard status == .ok else {
                    logger.warning("keys not fetched", metadata: ["uri": "\(uri)", "status": "\(status.code)"])
                    return nil
                }
                return try JSONWebKeySet(parsing: body)
            } catch {
                logger.warning("keys not fetched", metadata: ["uri": "\(uri)", "reason": "\(type(of: error))"])
                return nil
            }
        }
    }

    /// The whole answer, or nothing after ``Limits/foreignKeyFetchSeconds``: an issuer that sends a byte now and then
    /// does not keep other requests waiting.
    private static func fetch(_ uri: String, _ client: HTTPClient) async throws -> (HTTPResponseStatus, [UInt8]) {
        try await withThrowingTaskGroup(of: (HTTPResponseStatus, [UInt8]).self) { group in
            group.addTask {
                let response = try await client.execute(
                    HTTPClientRequest(url: uri), timeout: .seconds(Limits.foreignKeyFetchSeconds))
                let body = try await response.body.collect(upTo: Limits.foreignKeySetBytesMax)
                return (response.status, Array(body.readableBytesView))
            }
            group.addTask {
                try await Task.sleep(for: .seconds(Limits.foreignKeyFetchSeconds))
                throw RemoteJWKSUnavailable()
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw RemoteJWKSUnavailable() }
            return first
        }
    }

    /// Closes the connections.
    public func shutdown() async {
        try? await client.shutdown()
    }
}

/// One issuer's keys: fetched when a token needs them, one fetch at a time, and then not for a while, so that tokens
/// with invented key names cause no storm of requests.
actor RemoteKeys: RemoteJWKS {
    private let fetch: @Sendable () async -> JSONWebKeySet?
    private var set: JSONWebKeySet?
    private var fetchedAt = UnixTime(rawValue: 0)
    private var triedAt: UnixTime?
    private var hasFailed = false
    private var fetching: Task<JSONWebKeySet?, Never>?

    init(fetch: @escaping @Sendable () async -> JSONWebKeySet?) {
        self.fetch = fetch
    }

    func candidates(for header: JWSHeader, at now: UnixTime) async throws(RemoteJWKSUnavailable) -> [VerificationKey] {
        let known = set?.candidates(for: header) ?? []
        if !known.isEmpty, now < fetchedAt + Limits.foreignKeySeconds { return known }
        if triedAt.map({ now >= $0 + Limits.foreignKeyCooldownSeconds }) ?? true { await refresh(at: now) }
        guard let set, now < fetchedAt + Limits.foreignKeyStaleSeconds else { throw RemoteJWKSUnavailable() }
        let candidates = set.candidates(for: header)
        // Without the newest keys, the issuer may still have signed this token.
        guard !candidates.isEmpty || !hasFailed else { throw RemoteJWKSUnavailable() }
        return candidates
    }

    private func refresh(at now: UnixTime) async {
        // Unstructured on purpose: cancelling one caller must not cancel the fetch that others wait for.
        let task = fetching ?? Task { [fetch] in await fetch() }
        fetching = task
        let fresh = await task.value
        fetching = nil
        triedAt = now
        hasFailed = fresh == nil
        guard let fresh else { return }
        set = fresh
        fetchedAt = now
    }
}
