internal import KeyturnBase
internal import NIOCore
internal import NIOHTTP1

/// The pipeline of one connection: bytes, HTTP/1.1, then the responder.
struct ServerChannel: Sendable {
    let limits: ConnectionLimits
    /// What the answers' `Date` says.
    let now: @Sendable () -> UnixTime
    let respond: ExchangeHandler.Respond
    let connections: OpenConnections
    private let turns = LoopTurns()

    init(
        limits: ConnectionLimits, connections: OpenConnections, now: @escaping @Sendable () -> UnixTime,
        respond: @escaping ExchangeHandler.Respond
    ) {
        self.connections = connections
        self.limits = limits
        self.now = now
        self.respond = respond
    }

    /// Adds all handlers, in order from the socket. On the channel's event loop.
    func setUp(_ channel: any Channel) throws {
        try channel.syncOptions?.setOption(.socketOption(.so_sndbuf), value: .init(limits.systemBytes))
        var decoder = NIOHTTPDecoderLimitConfiguration()
        decoder.maxHeaderFieldSize = limits.fieldBytesMax
        decoder.maxHeaderListSize = limits.headBytesMax
        decoder.maxHeaderFieldCount = limits.fieldsMax
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(
            ConnectionHandler(
                limits: limits, turns: turns.turns(of: channel.eventLoop),
                place: connections.place(of: ObjectIdentifier(channel))))
        // This server's own handlers do pipelining and errors; answers are validated where they are made.
        try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: false, withErrorHandling: false, withOutboundHeaderValidation: false,
            withEncoderConfiguration: .init(), withDecoderLimitConfiguration: decoder)
        try pipeline.addHandler(RequestHandler(limits: limits, now: now))
        try pipeline.addHandler(ExchangeHandler(on: channel.eventLoop, respond: respond))
    }
}
