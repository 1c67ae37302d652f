internal import Delivery
internal import Identity
internal import KeyturnWire
internal import Logging
internal import Model
internal import ServiceLifecycle
internal import Texts
internal import Web

/// Sends messages beside the requests, as the configuration says, and says in the log what matters.
struct MessageDelivery: Service, CustomStringConvertible {
    /// There only where the configuration asks for it.
    let outbox: (any Outbox)?
    /// How messages reach people. The outbox does not count.
    let channels: Set<DeliveryMethod>
    /// What messages say.
    let previews: any MessagePreviews
    private let courier: QueuedMessageSender
    private let gateways: [GatewayTransport]

    /// - Parameter colors: those of mails; `nil`: the built-in ones.
    init(
        _ configuration: DeliveryConfiguration, colors: MailColors?, texts: TextCatalog, services: IdentityServices,
        logger: Logger
    ) throws {
        var renderer = try MessageRenderer(
            projectName: services.project.name, issuer: services.project.issuer, templates: configuration.templates,
            colors: colors ?? MailColors())
        renderer.texts = texts
        var transports: [DeliveryMethod: any MessageTransport] = [:]
        if let smtp = configuration.smtp { transports[.email] = try Self.transport(smtp) }
        var gateways: [GatewayTransport] = []
        for (webhook, reached) in [
            (configuration.smsWebhook, [DeliveryMethod.sms, .whatsapp, .voice]), (configuration.pushWebhook, [.push]),
        ] {
            guard let webhook else { continue }
            let gateway = GatewayTransport(url: webhook.url, secret: webhook.secret, ambient: services.ambient)
            for channel in reached { transports[channel] = gateway }
            gateways.append(gateway)
        }
        self.gateways = gateways
        channels = Set(transports.keys)
        outbox = configuration.outbox ? StoredOutbox(queue: services.messages, renderer: renderer) : nil
        previews = SampleMessages(renderer: renderer, issuer: services.project.issuer, ambient: services.ambient)
        courier = QueuedMessageSender(
            queue: services.messages, renderer: renderer, transports: transports, keepsContent: configuration.outbox,
            ambient: services.ambient
        ) { event in
            Self.log(event, logger)
        }
    }

    /// Until the server is asked to stop; then what is on its way is finished.
    func run() async throws {
        await withGracefulShutdownHandler {
            await courier.run()
        } onGracefulShutdown: {
            courier.stop()
        }
    }

    /// Lets go of connections.
    func shutdown() async {
        for gateway in gateways { await gateway.shutdown() }
    }

    /// What became of messages since the start.
    var measurements: @Sendable () -> [WebServer.Measurement] {
        { [counters = courier.counters] in
            let values = counters.values
            return [
                .init(name: "keyturn_messages_sent", help: "Messages delivered.", value: values.sent),
                .init(name: "keyturn_messages_postponed", help: "Tries followed by another.", value: values.postponed),
                .init(name: "keyturn_messages_dead", help: "Messages given up.", value: values.dead),
            ]
        }
    }

    /// What other packages' debug logs show of it: nothing of the settings.
    var description: String { "MessageDelivery" }

    private static func transport(_ smtp: SMTPConfiguration) throws -> SMTPTransport {
        guard let from = Mailbox(smtp.from) else {
            throw CommandFailure.refused("delivery.smtp.from: write it as Name <name@example.com>.")
        }
        let security: SMTPSettings.Security =
            switch smtp.security {
            case .none: .none
            case .starttls: .startTLS
            case .tls: .implicitTLS
            }
        do {
            return try SMTPTransport(
                SMTPSettings(
                    host: smtp.host, port: smtp.port, from: from, security: security, username: smtp.username,
                    password: smtp.password, authoritiesFile: smtp.authoritiesFile))
        } catch {
            throw CommandFailure.refused("delivery.smtp: \(error).")
        }
    }

    private static func log(_ event: QueuedMessageSender.Event, _ logger: Logger) {
        switch event {
        case .sent(let kind, let channel):
            logger.debug("message sent", metadata: ["kind": "\(kind.rawValue)", "channel": "\(channel.rawValue)"])
        case .postponed(let kind, let channel, let reason, let seconds):
            logger.notice(
                "message not sent yet",
                metadata: [
                    "kind": "\(kind.rawValue)", "channel": "\(channel.rawValue)", "reason": "\(reason)",
                    "next": "\(seconds) s",
                ])
        case .dead(let kind, let channel, let reason):
            logger.error(
                "message given up",
                metadata: ["kind": "\(kind.rawValue)", "channel": "\(channel.rawValue)", "reason": "\(reason)"])
        case .templateMissing(let kind, let channel):
            // Its name is not logged: the client that asked for the message chose it.
            logger.notice(
                "no such template, built-in words are used",
                metadata: ["kind": "\(kind.rawValue)", "channel": "\(channel.rawValue)"])
        case .queueFailed(let error):
            logger.error("the queue of messages does not answer", metadata: ["error": "\(error)"])
        }
    }
}

extension Theme {
    /// The accent of the pages, for mails: their surfaces stay as they are, since mail programs change them.
    var mailColors: MailColors {
        MailColors(
            accent: light[.accent].text, accentText: light[.accentText].text, darkAccent: dark[.accent].text,
            darkAccentText: dark[.accentText].text)
    }
}
