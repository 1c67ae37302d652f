internal import Foundation
internal import NIOCore
internal import NIOPosix

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
