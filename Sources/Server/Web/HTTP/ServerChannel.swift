internal import Hummingbird
internal import HummingbirdCore
internal import KeyturnBase
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// The pipeline of one connection: bytes, HTTP/1.1, then the responder.
struct ServerChannel: ServerChildChannel {
    struct Connection: ServerChildChannelValue {
        let channel: any Channel
    }

    let respond: ExchangeHandler.Respond
    let limits: ConnectionLimits
    /// What the answers' `Date` says.
    let now: @Sendable () -> UnixTime

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
        channel.eventLoop.makeCompletedFuture {
            try Self.addHandlers(to: channel, limits, now: now)
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(ExchangeHandler(on: channel.eventLoop, respond: respond))
            return Connection(channel: channel)
        }
    }

    /// Lasts as long as the connection.
    func handle(value connection: Connection, logger: Logger) async {
        let channel = connection.channel
        await withTaskCancellationHandler {
            try? await channel.closeFuture.get()
        } onCancel: {
            channel.close(mode: .input, promise: nil)
        }
    }

    /// All handlers up to the parts of a request, in order from the socket.
    static func addHandlers(
        to channel: any Channel, _ limits: ConnectionLimits, now: @escaping @Sendable () -> UnixTime
    ) throws {
        try channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: .init(limits.systemBytes))
        var decoder = NIOHTTPDecoderLimitConfiguration()
        decoder.maxHeaderFieldSize = limits.fieldBytesMax
        decoder.maxHeaderListSize = limits.headBytesMax
        decoder.maxHeaderFieldCount = limits.fieldsMax
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ConnectionHandler(limits: limits))
        // This server's own handlers do pipelining and errors; answers are validated where they are made.
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoder)
        try pipeline.addHandler(RequestHandler(limits: limits, now: now))
    }
}
