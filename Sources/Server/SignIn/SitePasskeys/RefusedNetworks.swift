internal import KeyturnBase
internal import Model
internal import Synchronization

/// The networks that are refused for a while, so that a refusal needs no query. Each process has its own list.
final class RefusedNetworks: Sendable {
    private let openings = Mutex<[String: UnixTime]>([:])

    /// Refuses a network until that time. The list is bounded: the network that is open again first makes room.
    func refuse(_ network: String, until openAt: UnixTime, at now: UnixTime) {
        openings.withLock { openings in
            if openings.count >= Limits.refusedNetworksMax { openings = openings.filter { now < $0.value } }
            if openings.count >= Limits.refusedNetworksMax, let first = openings.min(by: { $0.value < $1.value }) {
                openings[first.key] = nil
            }
            openings[network] = openAt
        }
    }

    /// When the network is open again; `nil`: it is open.
    func openAt(_ network: String, at now: UnixTime) -> UnixTime? {
        openings.withLock { $0[network] }.flatMap { now < $0 ? $0 : nil }
    }
}
