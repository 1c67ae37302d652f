internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Synchronization

/// Finds a port that is free.
enum FreePort {
    static func find(host: String) throws -> Int {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        do {
            let channel = try bootstrap.bind(host: host, port: 0).wait()
            defer { try? channel.close().wait() }
            guard let port = channel.localAddress?.port else { throw CommandFailure.failed("no free port was found.") }
            return port
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.failed("cannot listen on \(host): is it an address of this machine?")
        }
    }
}

/// Counts signals.
final class SignalCount: Sendable {
    private let count = Mutex(0)

    /// This signal's number, from 1.
    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
