internal import AsyncHTTPClient
internal import KeyturnBase
public import Model
internal import NIOCore
internal import NIOHTTP1
internal import Telemetry

/// Asks identity providers. Redirects are not followed, the answer is bounded in time and size, and a request that may
/// not go to a private network goes to one of the addresses that were checked, however the name is resolved later.
public struct ProviderHTTPClient: OutgoingHTTP {
    /// How long a request may take, in seconds.
    package static let seconds: Int64 = 5
    private static let answerBytesMax = 1_048_576
    private let allowsPrivateAddresses: Bool
    private let seconds: Int64

    /// - Parameter issuer: a server on a loopback address may ask providers in its own network.
    public init(issuer: String) {
        self.init(issuer: issuer, seconds: Self.seconds)
    }

    package init(issuer: String, seconds: Int64) {
        allowsPrivateAddresses = PrivateNetworks.containHost(of: issuer)
        self.seconds = seconds
    }

    public func send(_ request: OutgoingRequest) async throws(OutgoingProblem) -> OutgoingAnswer {
        // The provider is not told of the trace: it is another organisation's.
        let span = ChildSpan.begin(request.method.rawValue, isRemote: true)
        span.set("http.request.method", request.method.rawValue)
        do throws(OutgoingProblem) {
            let answer = try await exchange(request, span)
            span.set("http.response.status_code", answer.status)
            span.end(failure: answer.status >= 400 ? String(answer.status) : nil)
            return answer
        } catch {
            span.end(failure: error.rawValue)
            throw error
        }
    }

    private func exchange(_ request: OutgoingRequest, _ span: ChildSpan) async throws(OutgoingProblem) -> OutgoingAnswer
    {
        guard let parts = URIParts(request.uri, bytesMax: 8_192), ["http", "https"].contains(parts.scheme),
            parts.userinfo == nil, let host = parts.host, let origin = parts.origin
        else { throw .address }
        let isPrivateAllowed = allowsPrivateAddresses || request.allowsPrivateAddress
        guard isPrivateAllowed || parts.scheme == "https" else { throw .address }
        span.set("server.address", host.text)
        // The request goes to the host that is checked here, however the HTTP client would read the address.
        let target = origin + parts.path + (parts.query.map { "?\($0)" } ?? "")
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = .init(connect: .seconds(seconds), read: .seconds(seconds))
        configuration.connectionPool.retryConnectionEstablishment = false
        if !isPrivateAllowed {
            let addresses = await AddressLookup.shared.addresses(of: host)
            guard let first = addresses.first else { throw .unreachable }
            guard addresses.allSatisfy(PrivateNetworks.isPublic) else { throw .privateAddress }
            configuration.dnsOverride = [host.text: first]
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let result = await answer(to: request, at: target, client)
        try? await client.shutdown()
        return try result.get()
    }

    /// The whole answer, or none: a provider that sends a byte now and then does not keep a user waiting.
    private func answer(to request: OutgoingRequest, at target: String, _ client: HTTPClient) async
        -> Result<OutgoingAnswer, OutgoingProblem>
    {
        await withTaskGroup(of: Result<OutgoingAnswer, OutgoingProblem>.self) { group in
            group.addTask { await exchange(request, target, client) }
            group.addTask {
                try? await Task.sleep(for: .seconds(seconds))
                return .failure(.unreachable)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.unreachable)
        }
    }

    private func exchange(_ request: OutgoingRequest, _ target: String, _ client: HTTPClient) async
        -> Result<OutgoingAnswer, OutgoingProblem>
    {
        var outgoing = HTTPClientRequest(url: target)
        outgoing.method = HTTPMethod(rawValue: request.method.rawValue)
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        if !request.body.isEmpty { outgoing.body = .bytes(ByteBuffer(bytes: request.body)) }
        do {
            let response = try await client.execute(outgoing, timeout: .seconds(seconds))
            let body = try await response.body.collect(upTo: Self.answerBytesMax)
            let type = response.headers.first(name: "Content-Type")?.prefix { $0 != ";" }.lowercased() ?? ""
            var answer = OutgoingAnswer(
                status: Int(response.status.code), contentType: type.filter { $0 != " " },
                body: Array(body.readableBytesView))
            answer.entityTag = response.headers.first(name: "ETag")
            answer.lastModified = response.headers.first(name: "Last-Modified")
            return .success(answer)
        } catch is NIOTooManyBytesError {
            return .failure(.tooLarge)
        } catch {
            return .failure(.unreachable)
        }
    }
}
