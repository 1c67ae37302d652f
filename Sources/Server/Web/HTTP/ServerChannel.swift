internal import Hummingbird
internal import HummingbirdCore
internal import KeyturnBase
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// The pipeline of one connection: bytes, HTTP/1.1, then the router.
struct ServerChannel: ServerChildChannel, HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: HTTPChannelHandler.Responder
    let limits: ConnectionLimits
    /// What the answers' `Date` says; `nil`: the machine's time.
    var now: (@Sendable () -> UnixTime)?

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            try Self.addHandlers(to: channel, limits, now: now)
            try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async {
        await handleHTTP(asyncChannel: value, logger: logger)
    }

    /// All handlers up to the parts of a request, in order from the socket.
    static func addHandlers(
        to channel: any Channel, _ limits: ConnectionLimits, now: (@Sendable () -> UnixTime)? = nil
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
