import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// A mail server that says what a test wants, over real sockets.
final class ScriptedMailServer: Sendable {
    enum Answer: Sendable {
        case say(String)
        case hangUp
        case silence
        /// A reply without end.
        case flood
    }

    final class Heard: Sendable {
        let lines = Mutex<[String]>([])
        let mails = Mutex<[String]>([])
    }

    let port: Int
    private let channel: any Channel
    private let heard: Heard

    /// Every command, in order.
    var lines: [String] { heard.lines.withLock { $0 } }
    /// Every mail, as it came, without its last dot.
    var mails: [String] { heard.mails.withLock { $0 } }

    private static let friendly: [String: Answer] = [
        "": .say("220 mail.example ESMTP"), "EHLO": .say("250-mail.example\r\n250-8BITMIME\r\n250 SIZE 1000000"),
        "MAIL": .say("250 ok"), "RCPT": .say("250 ok"), "DATA": .say("354 go on"), ".": .say("250 queued"),
        "QUIT": .say("221 bye"),
    ]

    /// - Parameter script: what is said after which command; `""` is the greeting, `"."` the end of a mail. The rest is
    ///   answered as a friendly server would.
    static func start(_ script: [String: Answer] = [:]) async throws -> ScriptedMailServer {
        let heard = Heard()
        let answers = friendly.merging(script) { $1 }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Speaker(answers, heard))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return ScriptedMailServer(channel, heard)
    }

    private init(_ channel: any Channel, _ heard: Heard) {
        self.channel = channel
        self.heard = heard
        port = channel.localAddress?.port ?? 0
    }

    func stop() async {
        try? await channel.close()
    }
}

private final class Speaker: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answers: [String: ScriptedMailServer.Answer]
    private let heard: ScriptedMailServer.Heard
    private var pending = ""
    private var mail: String?

    init(_ answers: [String: ScriptedMailServer.Answer], _ heard: ScriptedMailServer.Heard) {
        self.answers = answers
        self.heard = heard
    }

    func channelActive(context: ChannelHandlerContext) {
        answer("", context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pending += String(buffer: unwrapInboundIn(data))
        while let end = pending.range(of: "\r\n") {
            let line = String(pending[..<end.lowerBound])
            pending.removeSubrange(..<end.upperBound)
            take(line, context)
        }
    }

    private func take(_ line: String, _ context: ChannelHandlerContext) {
        guard let text = mail else {
            heard.lines.withLock { $0.append(line) }
            let verb = String(line.prefix { $0 != " " && $0 != ":" }).uppercased()
            if verb == "DATA", case .say(let words)? = answers["DATA"], words.hasPrefix("354") { mail = "" }
            return answer(verb, context)
        }
        guard line == "." else {
            mail = text + line + "\r\n"
            return
        }
        heard.mails.withLock { $0.append(text) }
        mail = nil
        answer(".", context)
    }

    private func answer(_ verb: String, _ context: ChannelHandlerContext) {
        switch answers[verb] ?? .say("502 what?") {
        case .say(let words):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: words + "\r\n")), promise: nil)
        case .hangUp: context.close(promise: nil)
        case .silence: break
        case .flood:
            let line = "250-" + String(repeating: "x", count: 500) + "\r\n"
            let flood = String(repeating: line, count: 2_000)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: flood)), promise: nil)
        }
    }
}
