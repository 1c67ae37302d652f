internal import KeyturnBase
internal import Synchronization

/// Asks for the addresses of host names. The system's resolver can block its thread for half a minute: so each name that
/// is looked up has one thread of its own, all who want the name wait for it together and no longer than `patience`,
/// and a name that hangs keeps no other from being looked up.
final class AddressLookup: Sendable {
    static let shared = AddressLookup(hostsMax: 64, patience: .seconds(5), resolve: PrivateNetworks.addresses)

    private struct Lookup {
        var waiting: [CheckedContinuation<[String], Never>]
        /// Its thread has not come back in time. It is not waited for again.
        var isOverdue = false
    }

    private enum Turn { case begins, waits, refused }

    private let lookups = Mutex<[String: Lookup]>([:])
    private let hostsMax: Int
    private let patience: Duration
    private let resolve: @Sendable (URIHost) -> [String]

    /// - Parameter hostsMax: names that are looked up at once, and so threads.
    init(hostsMax: Int, patience: Duration, resolve: @escaping @Sendable (URIHost) -> [String]) {
        precondition(hostsMax > 0)
        self.hostsMax = hostsMax
        self.patience = patience
        self.resolve = resolve
    }

    /// - Returns: none if the name has no address, its server takes too long, or too many names are looked up.
    func addresses(of host: URIHost) async -> [String] {
        if host.address != nil { return [host.text] }
        return await withCheckedContinuation { continuation in
            switch lookups.withLock({ enter(&$0, host.text, continuation) }) {
            case .begins: begin(host)
            case .waits: break
            case .refused: continuation.resume(returning: [])
            }
        }
    }

    /// How many wait for a name; for tests.
    func waiting(for host: URIHost) -> Int { lookups.withLock { $0[host.text]?.waiting.count ?? 0 } }

    private func enter(
        _ lookups: inout [String: Lookup], _ host: String, _ continuation: CheckedContinuation<[String], Never>
    ) -> Turn {
        guard let running = lookups[host] else {
            guard lookups.count < hostsMax else { return .refused }
            lookups[host] = Lookup(waiting: [continuation])
            return .begins
        }
        guard !running.isOverdue else { return .refused }
        lookups[host]?.waiting.append(continuation)
        return .waits
    }

    private func begin(_ host: URIHost) {
        // Unstructured on purpose: a thread that hangs cannot be cancelled.
        let timer = Task {
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            answer(host, []) { $0 = Lookup(waiting: [], isOverdue: true) }
        }
        let isStarted = DetachedThread.start { [self] in
            let addresses = resolve(host)
            timer.cancel()
            answer(host, addresses) { $0 = nil }
        }
        guard !isStarted else { return }
        timer.cancel()
        answer(host, []) { $0 = nil }
    }

    /// Answers all who wait for a name, unless another did.
    private func answer(_ host: URIHost, _ addresses: [String], then leave: (inout Lookup?) -> Void) {
        let waiting = lookups.withLock { lookups in
            defer { if lookups[host.text] != nil { leave(&lookups[host.text]) } }
            return lookups[host.text]?.waiting ?? []
        }
        for continuation in waiting { continuation.resume(returning: addresses) }
    }
}
