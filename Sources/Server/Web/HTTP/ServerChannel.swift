internal import KeyturnBase
internal import NIOCore
internal import NIOHTTP1

/// The pipeline of one connection: bytes, HTTP/1.1, then the responder.
struct ServerChannel: Sendable {
    let limits: ConnectionLimits
    /// What the answers' `Date` says.
    let now: @Sendable () -> UnixTime
    let respond: ExchangeHandler.Respond

    /// Adds all handlers. On the channel's event loop.
    func setUp(_ channel: any Channel) throws {
        try Self.addHandlers(to: channel, limits, now: now)
        try channel.pipeline.syncOperations.addHandler(ExchangeHandler(on: channel.eventLoop, respond: respond))
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
