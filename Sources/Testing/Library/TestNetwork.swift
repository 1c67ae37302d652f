public import Keyturn
internal import Synchronization

/// The network between an app and its server, for `Keyturn(…, transport:)`: carries every request, until a test breaks
/// it.
public final class TestNetwork: HTTPTransport {
    /// What happens to a request.
    public enum Fault: Hashable, Sendable {
        /// The request is lost: the server does not see it.
        case losesRequest
        /// The server acts, and its answer is lost.
        case losesAnswer
        /// Something between them answers with this status, and the server does not see the request.
        case answers(status: Int)
    }

    private struct State: Sendable {
        var isDown = false
        var faults: [(path: String?, fault: Fault)] = []
        var sent: [HTTPRequest] = []
    }

    private let inner: any HTTPTransport
    private let state = Mutex(State())
    /// The oldest requests are forgotten.
    private static let requestsMax = 1_000

    /// A network that works.
    ///
    /// - Parameter inner: carries what is not broken; `nil`: a URL session.
    public init(over inner: (any HTTPTransport)? = nil) {
        self.inner = inner ?? URLSessionTransport()
    }

    /// Whether no request gets through at all, as in a tunnel.
    public var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// Breaks the next request, or the next to that path.
    ///
    /// - Parameters:
    ///   - fault: what happens to it. Faults for one path are used up in order.
    ///   - path: such as `/oauth2/token`; `nil`: any.
    public func failNext(_ fault: Fault, path: String? = nil) {
        state.withLock { $0.faults.append((path, fault)) }
    }

    /// The requests to a path, the oldest first, whatever became of them. Any of them can be sent again with
    /// ``send(_:)``, as an attacker would who copied it.
    public func requests(to path: String) -> [HTTPRequest] {
        state.withLock { $0.sent.filter { Self.path($0) == path } }
    }

    /// Carries a request, unless it is broken.
    ///
    /// - Throws: `transport.unavailable` if request or answer are lost; whatever the transport below throws.
    public func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        let fault = state.withLock { state -> Fault? in
            state.sent.append(request)
            if state.sent.count > Self.requestsMax { state.sent.removeFirst() }
            guard !state.isDown else { return .losesRequest }
            let path = Self.path(request)
            guard let index = state.faults.firstIndex(where: { $0.path == nil || $0.path == path }) else { return nil }
            return state.faults.remove(at: index).fault
        }
        switch fault {
        case nil: return try await inner.send(request)
        case .losesRequest: throw AuthError(.unavailable, "the test lost the request")
        case .losesAnswer:
            _ = try await inner.send(request)
            throw AuthError(.unavailable, "the test lost the answer")
        case .answers(let status): return HTTPResponse(status: status, headers: [], body: [])
        }
    }

    private static func path(_ request: HTTPRequest) -> String? {
        URIParts(request.url, bytesMax: .max)?.path
    }
}
