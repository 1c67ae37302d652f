internal import NIOCore
internal import Synchronization

/// How many connections are open.
final class OpenConnections: Sendable {
    private let open = Atomic<Int>(0)

    var number: Int { open.load(ordering: .relaxed) }

    /// Counts a connection until it is closed.
    func count(_ channel: any Channel) {
        open.wrappingAdd(1, ordering: .relaxed)
        channel.closeFuture.whenComplete { [self] _ in open.wrappingSubtract(1, ordering: .relaxed) }
    }
}
