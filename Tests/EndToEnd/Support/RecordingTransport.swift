import KeyturnBase
import ServerTesting
import KeyturnVerify

/// The way to the servers, with a list of what was asked and answered.
actor RecordingTransport: HTTPTransport {
    struct Entry: Hashable, Sendable {
        /// The path, without a query.
        let path: String
        let status: Int
    }

    private let inner: DatedTransport
    private var entries: [Entry] = []

    init(_ clock: VirtualClock) {
        inner = DatedTransport(clock)
    }

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        let response = try await inner.send(request)
        let path = request.url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).last ?? ""
        entries.append(Entry(path: "/" + path.prefix { $0 != "?" }, status: response.status))
        return response
    }

    /// What was asked since the last look.
    func take() -> [Entry] {
        defer { entries = [] }
        return entries
    }
}
