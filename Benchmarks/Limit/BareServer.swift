import Crypto
import Foundation
import KeyturnBase
import NIOCore
import NIOHTTP1
import NIOPosix

/// SwiftNIO's HTTP/1 codec and one handler, with nothing of ours but the work itself.
enum BareServer {
    static func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("limit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("limit.db").path
        let writer = try BareWriter(path)
        let listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: false)
                    try pipeline.addHandler(BareHandler(reader: BareReader(path), writer: writer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        LimitServer.announce(listening.localAddress?.port)
        try await listening.closeFuture.get()
    }
}

/// `/constant` answers a constant JSON text of the size of the discovery document's neighbours; `/signed` makes one ES256
/// signature first; `/read` reads one row by its key; `/durable` changes one and answers when that is on the disk;
/// `/durable-signed` then makes a signature as well. All read the request's body, as an endpoint must.
final class BareHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    static let constant = #"{"active":true,"scope":"openid profile email","client_id":"web","exp":1795236699}"#
    private static let key = P256.Signing.PrivateKey()
    private static let message = [UInt8](repeating: 0x61, count: 480)

    private let reader: BareReader
    private let writer: BareWriter
    private var path = ""
    private var body = ByteBuffer()
    private var count: Int64 = 0

    init(reader: BareReader, writer: BareWriter) {
        self.reader = reader
        self.writer = writer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            path = head.uri
            body.clear()
        case .body(var bytes): body.writeBuffer(&bytes)
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        count += 1
        switch path {
        case "/signed": send(Self.signed(), context)
        case "/read": send(reader.read(count), context)
        case "/durable": write(context) { $0 }
        case "/durable-signed": write(context) { _ in Self.signed() }
        default: send(Self.constant, context)
        }
    }

    static func signed() -> String {
        let signature = (try? key.signature(for: message).rawRepresentation) ?? Data()
        return #"{"access_token":""# + Base64URL.encode(message + Array(signature)) + #"","expires_in":600}"#
    }

    private func write(_ context: ChannelHandlerContext, answer: @escaping @Sendable (String) -> String) {
        let own = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        writer.write(count, on: context.eventLoop) { text in own.value.handler.send(answer(text), own.value.context) }
    }

    private func send(_ text: String, _ context: ChannelHandlerContext) {
        let bytes = context.channel.allocator.buffer(string: text)
        let fields: HTTPHeaders = [
            "content-type": "application/json", "cache-control": "no-store",
            "content-length": String(bytes.readableBytes),
        ]
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
