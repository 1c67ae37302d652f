internal import KeyturnBase
internal import Model
internal import NIOCore
internal import Synchronization

/// The open connections, and room for more: one client that opens them by the hundred must not keep out the others.
///
/// A client above its share has its own idle connections closed, those that are idle longest first; one whose connections are
/// all at work is refused. When the server is full, connections that are idle longest are closed, whose ever they are,
/// and none is accepted until one has gone.
final class OpenConnections: Sendable {
    /// How often what happened, since the start.
    struct Counts: Hashable, Sendable {
        /// Refused: the client had its share, all of it at work.
        var refused = 0
        /// Closed while idle, to make room.
        var displaced = 0
        /// The system could accept none.
        var failures = 0
    }

    private struct State: Sendable {
        var places: [ObjectIdentifier: OpenConnection] = [:]
        var shares: [String: Share] = [:]
        /// Of ``places``, those that were asked to leave.
        var leaving = 0
        var counts = Counts()
        var waiting: [@Sendable () -> Void] = []
    }

    private struct Share: Sendable {
        var open = 0
        var leaving = 0
    }

    let bounds: ConnectionBounds
    private let trustedProxies: [IPAddressRange]
    private let state = Mutex(State())

    init(bounds: ConnectionBounds, trustedProxies: [IPAddressRange] = []) {
        self.bounds = bounds
        self.trustedProxies = trustedProxies
    }

    var number: Int { state.withLock { $0.places.count } }
    var counts: Counts { state.withLock { $0.counts } }
    /// Whether no other connection may be accepted.
    var isFull: Bool { number >= bounds.all }

    /// Takes a connection in until it is closed.
    ///
    /// - Returns: whether it may stay.
    func admit(_ channel: any Channel) -> Bool {
        let key = ObjectIdentifier(channel)
        let isAdmitted = admit(key, from: channel.remoteAddress?.ipAddress) {
            channel.pipeline.fireUserInboundEventTriggered(ConnectionEvent.roomWanted)
        }
        if isAdmitted { channel.closeFuture.whenComplete { [self] _ in release(key) } }
        return isAdmitted
    }

    /// - Parameters:
    ///   - address: as the system writes it; `nil`: the connection has none.
    ///   - leave: asks the connection to end.
    func admit(_ key: ObjectIdentifier, from address: String?, leave: @escaping @Sendable () -> Void) -> Bool {
        let network = share(of: address)
        let place = OpenConnection(network: network, leave: leave)
        let (isAdmitted, displaced) = state.withLock { state in
            let displaced = network.map { room(in: $0, &state) } ?? []
            if let network, !hasRoom(state.shares[network] ?? Share()) {
                state.counts.refused += 1
                return (false, displaced)
            }
            state.places[key] = place
            if let network { state.shares[network, default: Share()].open += 1 }
            return (true, displaced)
        }
        for place in displaced { place.leave() }
        return isAdmitted
    }

    /// A connection that was admitted.
    func place(of key: ObjectIdentifier) -> OpenConnection? {
        state.withLock { $0.places[key] }
    }

    /// Closes the connections that are idle longest, and calls `then` once there is room.
    func makeRoom(then: @escaping @Sendable () -> Void) {
        let (displaced, isFull) = state.withLock { state in
            let isFull = state.places.count >= bounds.all
            if isFull { state.waiting.append(then) }
            // Those that leave are counted as gone: else each call would ask more of them to.
            let isCrowded = state.places.count - state.leaving >= bounds.all
            return (isCrowded ? displace(Self.batch(bounds.all), of: nil, &state) : [], isFull)
        }
        for place in displaced { place.leave() }
        if !isFull { then() }
    }

    /// The system could not accept a connection: files are short, whatever the bounds say.
    func acceptFailed() {
        let displaced = state.withLock { state in
            state.counts.failures += 1
            return displace(Self.batch(state.places.count), of: nil, &state)
        }
        for place in displaced { place.leave() }
    }

    /// A connection has ended.
    func release(_ key: ObjectIdentifier) {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            guard let place = state.places.removeValue(forKey: key) else { return [] }
            let isLeaving = place.isLeaving
            if isLeaving { state.leaving -= 1 }
            if let network = place.network, var share = state.shares[network] {
                share.open -= 1
                if isLeaving { share.leaving -= 1 }
                state.shares[network] = share.open == 0 ? nil : share
            }
            guard state.places.count < bounds.all else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for wake in waiting { wake() }
    }

    // MARK: Shares

    /// The network whose share a connection belongs to; `nil` for one that has no bound of its own.
    private func share(of text: String?) -> String? {
        guard let text else { return nil }
        let peer = NetworkAddress(text)
        guard let address = peer.address, !address.isLoopback, !trustedProxies.contains(where: { $0.contains(address) })
        else { return nil }
        return peer.network
    }

    /// What is leaving makes room at once, but for a few only: each of them is open until it has left.
    private func hasRoom(_ share: Share) -> Bool {
        share.open - share.leaving < bounds.each && share.open < bounds.each + Self.batch(bounds.each)
    }

    private func room(in network: String, _ state: inout State) -> [OpenConnection] {
        guard let share = state.shares[network], share.open - share.leaving >= bounds.each else { return [] }
        return displace(Self.batch(bounds.each), of: network, &state)
    }

    /// Finding those that are idle longest looks at all: so several go at once.
    private static func batch(_ number: Int) -> Int { max(1, number / 16) }

    /// - Parameter network: `nil`: of everybody.
    private func displace(_ number: Int, of network: String?, _ state: inout State) -> [OpenConnection] {
        let idle = state.places.values.compactMap { place -> (since: UInt64, place: OpenConnection)? in
            guard !place.isLeaving, network == nil || place.network == network else { return nil }
            return place.idleSince.map { ($0, place) }
        }
        let chosen = idle.sorted { $0.since < $1.since }.prefix(number).map(\.place)
        for place in chosen {
            place.isLeaving = true
            state.leaving += 1
            if let network = place.network { state.shares[network]?.leaving += 1 }
        }
        state.counts.displaced += chosen.count
        return chosen
    }
}

/// One open connection, as ``OpenConnections`` knows it.
final class OpenConnection: Sendable {
    /// `nil`: it belongs to no share.
    let network: String?
    /// Asks the connection to end when no request is under way.
    let leave: @Sendable () -> Void
    /// 0: a request is under way. Written for each request, so without a lock.
    private let idle = Atomic<UInt64>(0)
    private let leaving = Atomic<Bool>(false)

    init(network: String?, leave: @escaping @Sendable () -> Void) {
        self.network = network
        self.leave = leave
    }

    /// Since when no request is under way, in the system's nanoseconds; `nil`: one is.
    var idleSince: UInt64? {
        let since = idle.load(ordering: .relaxed)
        return since == 0 ? nil : since
    }

    /// Written under the lock of ``OpenConnections``.
    fileprivate var isLeaving: Bool {
        get { leaving.load(ordering: .relaxed) }
        set { leaving.store(newValue, ordering: .relaxed) }
    }

    func enters(isIdle: Bool, at time: NIODeadline) {
        idle.store(isIdle ? max(1, time.uptimeNanoseconds) : 0, ordering: .relaxed)
    }
}
