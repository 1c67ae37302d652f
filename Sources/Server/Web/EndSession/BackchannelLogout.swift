internal import AsyncHTTPClient
internal import Foundation
public import Identity
internal import KeyturnBase
internal import KeyturnWire
public import Logging
internal import NIOCore
internal import NIOHTTP1

/// Delivers logout tokens to relying parties (OpenID Connect Back-Channel Logout §2.5), behind the answer to the
/// person who signs out.
///
/// Redirects are not followed, addresses inside private networks are refused unless the server itself is on loopback,
/// and a delivery is tried three times at most.
public final class BackchannelLogout: LogoutNotifier, Sendable {
    private let client: HTTPClient
    private let allowsPrivateAddresses: Bool
    private let logger: Logger
    private static let attempts = 3
    private static let timeoutSeconds: Int64 = 5

    /// - Parameter issuer: a server on a loopback address may notify its neighbours; any other only the outside.
    public init(issuer: String, logger: Logger) {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = .init(connect: .seconds(Self.timeoutSeconds), read: .seconds(Self.timeoutSeconds))
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        allowsPrivateAddresses = ["http://127.0.0.1", "http://localhost", "http://[::1]"].contains {
            issuer.hasPrefix($0)
        }
        self.logger = logger
    }

    public func notify(_ notices: [LogoutNotice]) {
        for notice in notices {
            // Unstructured on purpose: nobody who signs out waits for other people's servers.
            Task { await deliver(notice) }
        }
    }

    /// Lets go of connections.
    public func shutdown() async {
        try? await client.shutdown()
    }

    private func deliver(_ notice: LogoutNotice) async {
        for attempt in 1...Self.attempts {
            switch await post(notice) {
            case .delivered:
                logger.debug("logout delivered", metadata: ["client": "\(notice.clientID)"])
                return
            case .refused(let reason):
                logger.warning(
                    "logout not delivered", metadata: ["client": "\(notice.clientID)", "reason": "\(reason)"])
                return
            case .failed(let reason):
                logger.debug(
                    "logout delivery failed",
                    metadata: ["client": "\(notice.clientID)", "attempt": "\(attempt)", "reason": "\(reason)"])
                if attempt < Self.attempts { try? await Task.sleep(for: .seconds(attempt)) }
            }
        }
        logger.warning("logout not delivered", metadata: ["client": "\(notice.clientID)", "reason": "no answer"])
    }

    private enum Outcome {
        case delivered
        /// Trying again would not help.
        case refused(String)
        case failed(String)
    }

    private func post(_ notice: LogoutNotice) async -> Outcome {
        if !allowsPrivateAddresses {
            let leadsInside = await leadsInside(notice.uri)
            guard !leadsInside else { return .refused("private address") }
        }
        var request = HTTPClientRequest(url: notice.uri)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        let form = FormParameters(["logout_token": notice.logoutToken.exposed()])
        request.body = .bytes(ByteBuffer(string: form.encoded))
        do {
            let response = try await client.execute(request, timeout: .seconds(Self.timeoutSeconds))
            switch response.status.code {
            case 200...299: return .delivered
            case 400...499: return .refused("status \(response.status.code)")
            default: return .failed("status \(response.status.code)")
            }
        } catch {
            return .failed("\(type(of: error))")
        }
    }

    /// Whether any address of the host is one that only this network can reach.
    private func leadsInside(_ uri: String) async -> Bool {
        guard let host = URLComponents(string: uri)?.host else { return true }
        let name = host.trimmingCharacters(in: ["[", "]"])
        let addresses = await Task.detached { PrivateNetworks.addresses(of: name) }.value
        return addresses.isEmpty || addresses.contains(where: PrivateNetworks.contain)
    }
}
