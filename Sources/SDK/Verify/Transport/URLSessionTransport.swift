internal import Foundation
#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif
public import KeyturnBase

/// Carries requests with a URL session of its own: no redirects, no cookies, no cache, no stored credentials.
///
/// Make one and share it; connections are reused. In a server with many requests per second prefer a transport over
/// an HTTP client made for servers, because Foundation's on Linux grows a little with every request.
public final class URLSessionTransport: HTTPTransport {
    /// How large an answer may be, in bytes.
    public let responseBytesMax: Int
    /// Whether plain `http` may leave this machine.
    public let allowInsecureRequests: Bool

    private let session: URLSession
    private let exchanges: Exchanges
    private let events: AsyncStream<ExchangeEvent>.Continuation

    /// - Parameters:
    ///   - responseBytesMax: Larger answers are refused while they arrive. Default 1 MiB.
    ///   - allowInsecureRequests: Permits plain `http` to anywhere. Every token sent is then public.
    public init(responseBytesMax: Int = VerifyLimits.responseBytes, allowInsecureRequests: Bool = false) {
        precondition(responseBytesMax > 0, "an answer needs room")
        self.responseBytesMax = responseBytesMax
        self.allowInsecureRequests = allowInsecureRequests
        let (stream, events) = AsyncStream.makeStream(of: ExchangeEvent.self)
        let exchanges = Exchanges(responseBytesMax: responseBytesMax)
        self.events = events
        self.exchanges = exchanges
        session = URLSession(
            configuration: Self.configuration(),
            delegate: SessionDelegate(responseBytesMax: responseBytesMax, events: events),
            delegateQueue: nil)
        // Unstructured: the delegate's calls are synchronous and must keep their order. Ends with the stream.
        Task {
            for await event in stream { await exchanges.handle(event) }
            await exchanges.close()
        }
    }

    deinit {
        session.invalidateAndCancel()
        events.finish()
    }

    public func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        let url = try request.checkedURL(allowInsecureRequests: allowInsecureRequests)
        guard !Task.isCancelled else { throw Exchanges.cancellation() }
        var native = URLRequest(url: url)
        native.httpMethod = request.method
        native.timeoutInterval = Double(request.timeoutSeconds)
        native.httpShouldHandleCookies = false
        for (name, value) in request.headers { native.addValue(value, forHTTPHeaderField: name) }
        native.httpBody = request.body.map { Data($0) }
        return try await exchanges.perform(
            session.dataTask(with: native), timeoutSeconds: request.timeoutSeconds
        ).get()
    }

    private static func configuration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        #if canImport(Darwin)
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
            configuration.waitsForConnectivity = false
        #endif
        return configuration
    }
}
