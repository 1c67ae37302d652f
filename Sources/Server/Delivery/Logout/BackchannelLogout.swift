internal import AsyncHTTPClient
internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import NIOCore
internal import NIOHTTP1
public import OAuth

/// Hands logout notices to relying parties.
public protocol LogoutTransport: Sendable {
    /// Tries once, within the lease of a claim. Never throws: whatever happens is an outcome.
    ///
    /// - Parameter attempt: from 1.
    func send(_ post: LogoutNotices.Post, attempt: Int64) async -> LogoutOutcome
}

/// What came of one try.
public enum LogoutOutcome: Hashable, Sendable {
    case answered(DeliveryOutcome)
    /// The address lies in a private network, and the operator does not allow this client one. Nothing was sent.
    case privateAddress
}

/// Posts logout tokens to relying parties (OpenID Connect Back-Channel Logout §2.5).
///
/// Redirects are not followed. Every address of the host must be a public one, unless the server itself is on a loopback
/// address or the operator allows the client a private address; the request goes to one of the addresses that were checked.
public struct BackchannelLogout: LogoutTransport {
    private let allowsPrivateAddresses: Bool

    /// - Parameter issuer: a server on a loopback address may notify relying parties in its own network.
    public init(issuer: String) {
        allowsPrivateAddresses = PrivateNetworks.containHost(of: issuer)
    }

    public func send(_ post: LogoutNotices.Post, attempt: Int64) async -> LogoutOutcome {
        guard let parts = URIParts(post.uri), let host = parts.host, let origin = parts.origin else {
            return .answered(.permanent(reason: "the address has no host"))
        }
        // The request goes to the host that is checked here, however the HTTP client would read the address.
        let target = origin + parts.path + (parts.query.map { "?\($0)" } ?? "")
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = .init(
            connect: .seconds(DeliveryLimits.logoutSeconds), read: .seconds(DeliveryLimits.logoutSeconds))
        // The queue tries again, later each time.
        configuration.connectionPool.retryConnectionEstablishment = false
        if !allowsPrivateAddresses, !post.allowsPrivateAddress {
            let addresses = await AddressLookup.shared.addresses(of: host)
            guard !addresses.isEmpty else { return .answered(.unreachable(reason: "the host name has no address")) }
            guard addresses.allSatisfy(PrivateNetworks.isPublic) else { return .privateAddress }
            // The name could lead elsewhere when it is asked again. Another attempt takes another address.
            configuration.dnsOverride = [host.text: addresses[Int(attempt - 1) % addresses.count]]
        }
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let outcome = await Self.post(post, to: target, client)
        try? await client.shutdown()
        return .answered(outcome)
    }

    private static func post(
        _ post: LogoutNotices.Post, to target: String, _ client: HTTPClient
    ) async -> DeliveryOutcome {
        var request = HTTPClientRequest(url: target)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        let form = FormParameters(["logout_token": post.logoutToken.exposed()])
        request.body = .bytes(ByteBuffer(string: form.encoded))
        do {
            let response = try await client.execute(request, timeout: .seconds(DeliveryLimits.logoutSeconds))
            _ = try? await response.body.collect(upTo: DeliveryLimits.logoutAnswerBytesMax)
            return outcome(Int(response.status.code))
        } catch {
            return .unreachable(reason: "no answer")
        }
    }

    /// 400 says that the relying party could not read the token or end the session (§2.8); 404, 405, 410 and 422 do not
    /// become better by themselves either. Everything else can: a server that restarts, a proxy in front of it.
    static func outcome(_ status: Int) -> DeliveryOutcome {
        switch status {
        case 200...299: .sent
        case 400, 404, 405, 410, 422: .permanent(reason: "status \(status)")
        default: .temporary(reason: "status \(status)")
        }
    }
}
