internal import AsyncHTTPClient
internal import KeyturnBase
internal import NIOPosix

/// The way to a server: perhaps through a proxy, and whose certificates count at its end.
struct NetworkWay: Hashable, Sendable {
    /// `nil`: straight to the server.
    let proxy: Proxy?
    let authorities: TrustedAuthorities

    /// - Parameters:
    ///   - url: Where a request goes.
    ///   - caFile: Authorities beside the usual ones.
    ///   - environment: Names proxies and the usual authorities.
    /// - Throws: `configuration.invalid` if what the environment says cannot be used.
    init(to url: String, caFile: String?, _ environment: [String: String]) throws(AuthError) {
        authorities = TrustedAuthorities(caFile: caFile, environment)
        guard let server = URIParts(url, bytesMax: .max) else {
            proxy = nil
            return
        }
        proxy = try ProxyRules(environment).proxy(to: server)
    }
}

/// The HTTP clients of this process, one for each way that was needed. They live as long as it does.
///
/// Their connections are NIO's own on every system, so that a certificate which is not accepted is told in one way.
enum NetworkClients {
    private static let made = Locked<[NetworkWay: HTTPClient]>([:])

    /// - Throws: `configuration.invalid` if a file of authorities cannot be used.
    static func client(_ way: NetworkWay) throws(AuthError) -> HTTPClient {
        try made.withLock { (clients) throws(AuthError) -> HTTPClient in
            if let client = clients[way] { return client }
            var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
            configuration.tlsConfiguration = try way.authorities.configuration()
            // What does not pass by itself, such as a certificate that is not trusted, is told at once. What may pass
            // is tried again by `ConnectionRetry`.
            configuration.connectionPool.retryConnectionEstablishment = false
            if let proxy = way.proxy {
                configuration.proxy = .server(host: proxy.host, port: proxy.port, authorization: proxy.authorization)
            }
            let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: configuration)
            clients[way] = client
            return client
        }
    }
}

extension Proxy {
    /// What the proxy is told of the user; `nil`: nothing.
    fileprivate var authorization: HTTPClient.Authorization? {
        guard let user else { return nil }
        return .basic(username: user, password: password?.exposed() ?? "")
    }
}

/// Connecting once more where a server, or the proxy to it, refuses: one that is being restarted is there a moment
/// later.
struct ConnectionRetry {
    /// For so long, in seconds, unless the request has less time.
    private static let secondsMax = 10
    private static let longestPause = Duration.seconds(1)

    private let end: ContinuousClock.Instant
    private var next = Duration.milliseconds(100)

    /// - Parameter secondsMax: The request's own time.
    init(secondsMax: Int) {
        end = ContinuousClock.now + .seconds(min(secondsMax, Self.secondsMax))
    }

    /// Pauses before the next try, longer each time.
    ///
    /// - Returns: `false`, at once, when the time is over or the task was cancelled.
    mutating func pause() async -> Bool {
        guard ContinuousClock.now + next < end, (try? await Task.sleep(for: next)) != nil else { return false }
        next = min(next * 2, Self.longestPause)
        return true
    }
}
