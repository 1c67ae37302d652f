internal import AsyncHTTPClient
internal import KeyturnBase
internal import NIOCore
internal import NIOHTTP1

/// What came of one try.
public enum LogoutOutcome: Hashable, Sendable {
    case answered(DeliveryOutcome)
    /// The address lies in a private network, and the operator does not allow this client one. Nothing was sent.
    case privateAddress
}

/// A request to an address that a client registered: a logout notice, a notification of a decision, a security event.
///
/// Redirects are not followed. Every address of the host must be a public one, unless private ones are allowed; the request
/// goes to one of the addresses that were checked.
struct ClientPost: Sendable {
    let uri: String
    let contentType: String
    var authorization: String?
    var accept: String?
    let body: [UInt8]
    let allowsPrivateAddress: Bool

    /// Tries once.
    ///
    /// - Parameters:
    ///   - attempt: from 1: another attempt takes another address of the host.
    ///   - judge: what a status means.
    func send(attempt: Int64, judge: @Sendable (Int) -> DeliveryOutcome) async -> LogoutOutcome {
        guard let parts = URIParts(uri), let host = parts.host, let origin = parts.origin else {
            return .answered(.permanent(reason: "the address has no host"))
        }
        // The request goes to the host that is checked here, however the HTTP client would read the address.
        let target = origin + parts.path + (parts.query.map { "?\($0)" } ?? "")
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = .init(
            connect: .seconds(DeliveryLimits.logoutSeconds), read: .seconds(DeliveryLimits.logoutSeconds))
        // The queue tries again, later each time.
        configuration.connectionPool.retryConnectionEstablishment = false
        if !allowsPrivateAddress {
            let addresses = await AddressLookup.shared.addresses(of: host)
            guard !addresses.isEmpty else { return .answered(.unreachable(reason: "the host name has no address")) }
            guard addresses.allSatisfy(PrivateNetworks.isPublic) else { return .privateAddress }
            // The name could lead elsewhere when it is asked again.
            configuration.dnsOverride = [host.text: addresses[Int(attempt - 1) % addresses.count]]
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let outcome = await post(to: target, client, judge)
        try? await client.shutdown()
        return .answered(outcome)
    }

    private func post(
        to target: String, _ client: HTTPClient, _ judge: @Sendable (Int) -> DeliveryOutcome
    ) async -> DeliveryOutcome {
        var request = HTTPClientRequest(url: target)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: contentType)
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        if let accept { request.headers.add(name: "Accept", value: accept) }
        request.body = .bytes(ByteBuffer(bytes: body))
        do {
            let response = try await client.execute(request, timeout: .seconds(DeliveryLimits.logoutSeconds))
            _ = try? await response.body.collect(upTo: DeliveryLimits.logoutAnswerBytesMax)
            return judge(Int(response.status.code))
        } catch {
            return .unreachable(reason: "no answer")
        }
    }
}
