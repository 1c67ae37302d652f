internal import KeyturnBase
internal import Model
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Sends events to a syslog server: over TLS (RFC 5425), TCP with counted octets (RFC 6587 §3.4.1), or UDP (RFC 5426).
///
/// The protocol has no answer: what was written counts as sent. A connection that breaks may take the last events with
/// it that the system had taken.
public actor SyslogTransport: AuditTransport {
    /// Where and how.
    public struct Settings: Sendable {
        /// What carries the messages.
        public enum Security: String, CaseIterable, Sendable {
            case udp, tcp, tls
        }

        public var security: Security
        public var host: String
        public var port: Int
        /// A PEM file of authorities to trust instead of the system's.
        public var authoritiesFile: String?

        public init(security: Security, host: String, port: Int, authoritiesFile: String? = nil) {
            self.security = security
            self.host = host
            self.port = port
            self.authoritiesFile = authoritiesFile
        }
    }

    private let settings: Settings
    private let sender: String
    private let tls: NIOSSLContext?
    private var channel: (any Channel)?

    /// - Parameter sender: The HOSTNAME of messages.
    public init(_ settings: Settings, sender: String) throws(UnreadableAuthorities) {
        self.settings = settings
        self.sender = sender
        tls = settings.security == .tls ? try ClientTLS.context(authoritiesFile: settings.authoritiesFile) : nil
    }

    public func send(_ batch: AuditBatch) async -> DeliveryOutcome {
        let messages = batch.records.map { Array(SyslogMessage.text($0, host: sender).utf8) }
        do {
            let channel = try await open()
            try await write(messages, to: channel)
            return .sent
        } catch {
            await close()
            return .unreachable(reason: "the syslog server does not take it: \(reason(error))")
        }
    }

    public func close() async {
        try? await channel?.close()
        channel = nil
    }

    private func write(_ messages: [[UInt8]], to channel: any Channel) async throws {
        guard settings.security != .udp else {
            for message in messages { try await channel.writeAndFlush(ByteBuffer(bytes: message)) }
            return
        }
        var buffer = ByteBuffer()
        for message in messages {
            buffer.writeString("\(message.count) ")
            buffer.writeBytes(message)
        }
        let written = channel.eventLoop.makePromise(of: Void.self)
        channel.writeAndFlush(buffer, promise: written)
        // A server that reads nothing must not hold the stream for ever.
        let deadline = channel.eventLoop.scheduleTask(in: .seconds(DeliveryLimits.commandSeconds)) {
            channel.close(promise: nil)
        }
        defer { deadline.cancel() }
        try await withTaskCancellationHandler {
            try await written.futureResult.get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    private func open() async throws -> any Channel {
        if let channel, channel.isActive { return channel }
        let group = MultiThreadedEventLoopGroup.singleton
        let (tls, host) = (tls, settings.host)
        let opened: any Channel
        if settings.security == .udp {
            opened = try await DatagramBootstrap(group: group).connect(host: host, port: settings.port).get()
        } else {
            opened = try await ClientBootstrap(group: group)
                .connectTimeout(.seconds(DeliveryLimits.connectSeconds))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard let tls else { return }
                        try channel.pipeline.syncOperations.addHandler(
                            NIOSSLClientHandler(context: tls, serverHostname: ClientTLS.serverName(host)))
                    }
                }
                .connect(host: host, port: settings.port).get()
        }
        channel = opened
        return opened
    }

    /// A handshake that fails is shown as the end of the connection.
    private func reason(_ error: any Error) -> String {
        switch error {
        case is NIOConnectionError: "no connection"
        default: tls == nil ? "the connection broke" : "the connection broke, or its certificate is not trusted"
        }
    }
}
