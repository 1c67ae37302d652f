import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// What no endpoint of ours can be faster than; see ``BareHandler``. With `provider` as its argument it is what sign-ins
/// elsewhere need; see ``Provider``.
@main
struct LimitServer {
    static func main() async throws {
        if CommandLine.arguments.contains("provider") { try await provide() } else { try await BareServer.run() }
    }

    private static func provide() async throws {
        let router = Router()
        let client = HTTPClient(eventLoopGroupProvider: .singleton)
        Provider(client: client).add(to: router)
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in announce(channel.localAddress?.port) })
        try await application.runService()
        try await client.shutdown()
    }

    static func announce(_ port: Int?) {
        FileHandle.standardOutput.write(Data("listening on \(port ?? 0)\n".utf8))
    }
}
