internal import KeyturnBase
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// A connection to a mail server. Closed when its time is over, whatever happens.
struct SMTPConnection: Sendable {
    private let channel: any Channel
    private let host: String
    /// Why the handler gave up. A connection that is closed no longer shows it anything.
    private let reason: SMTPFailure

    /// Connects, and begins TLS at once if `tls` is there.
    static func open(host: String, port: Int, tls: NIOSSLContext?, totalSeconds: Int64)
        async throws(SMTPProblem) -> SMTPConnection
    {
        let reason = SMTPFailure()
        do {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connectTimeout(.seconds(DeliveryLimits.connectSeconds))
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        if let tls {
                            try channel.pipeline.syncOperations.addHandler(
                                NIOSSLClientHandler(context: tls, serverHostname: ClientTLS.serverName(host)))
                        }
                        try channel.pipeline.syncOperations.addHandler(SMTPHandler(reason: reason))
                    }
                }
                .connect(host: host, port: port).get()
            let deadline = channel.eventLoop.scheduleTask(in: .seconds(totalSeconds)) { channel.close(promise: nil) }
            channel.closeFuture.whenComplete { _ in deadline.cancel() }
            return SMTPConnection(channel: channel, host: host, reason: reason)
        } catch {
            throw .unreachable("smtp does not answer")
        }
    }

    /// Our own address, as `EHLO` wants it (RFC 5321 §4.1.3).
    var localName: String {
        let address = channel.localAddress?.ipAddress.flatMap(IPAddress.init(ignoringZone:)) ?? .loopbackV4
        return address.isIPv4 ? "[\(address)]" : "[IPv6:\(address)]"
    }

    /// Says `bytes`, or nothing, and waits for the reply. Cancelling closes the connection.
    func exchange(_ bytes: [UInt8]?, seconds: Int64) async throws(SMTPProblem) -> SMTPReply {
        let promise = channel.eventLoop.makePromise(of: SMTPReply.self)
        let buffer = bytes.map { ByteBuffer(bytes: $0) }
        return try await perform(.exchange(buffer, promise, within: .seconds(seconds)), promise)
    }

    /// Goes on under TLS.
    func secure(_ tls: NIOSSLContext) async throws(SMTPProblem) {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        try await perform(.secure(tls, host: ClientTLS.serverName(host), promise), promise)
    }

    /// Lets go, without waiting for anything.
    func close() {
        channel.close(promise: nil)
    }

    private func perform<Value: Sendable>(_ step: SMTPStep, _ promise: EventLoopPromise<Value>)
        async throws(SMTPProblem) -> Value
    {
        // A connection that is closed already never shows the step to its handler.
        channel.writeAndFlush(step).whenFailure { _ in
            promise.fail(reason.problem ?? .unreachable("smtp connection lost"))
        }
        do {
            return try await withTaskCancellationHandler {
                try await promise.futureResult.get()
            } onCancel: {
                channel.close(promise: nil)
            }
        } catch let problem as SMTPProblem {
            throw problem
        } catch {
            throw .unreachable("smtp connection broken")
        }
    }
}
