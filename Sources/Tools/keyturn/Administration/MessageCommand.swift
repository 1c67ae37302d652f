internal import ArgumentParser
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// `keyturn message`: whether messages reach people.
struct MessageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message", abstract: "Try whether messages reach people, and see those that did not.",
        subcommands: [Test.self, Dead.self])
}

extension MessageCommand {
    struct Test: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "test",
            abstract: "Queue a message with an invented code; the running server sends it.",
            discussion: "The server's log says what became of it, and so does `keyturn message dead`.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Option(help: "email, sms, whatsapp or voice.") var channel = "email"
        @Option(help: "The language, such as de.") var locale: String?
        @Argument(help: "An email address, or a telephone number with + and country code.") var to: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            guard
                let channel = [DeliveryMethod.email, .sms, .whatsapp, .voice].first(where: { $0.rawValue == channel })
            else { throw CommandFailure.refused("--channel takes email, sms, whatsapp or voice.") }
            let configuration = try options.configuration()
            let message = OutgoingMessage.test(to: to, by: channel, in: locale, ambient: .live)
            try await options.withStores { stores in
                guard let secrets = ServerSecrets(try SecretsFile.secrets(for: configuration)) else {
                    throw CommandFailure.refused("secrets: list one to \(Limits.secretsMax) secrets of 32 bytes each.")
                }
                let queue = MessageQueue(store: stores.messages, secrets: secrets, ambient: .live)
                try await queue.enqueue(message, at: Ambient.live.now())
            }
            let id = MessageID(idempotencyKey: message.idempotencyKey).text
            guard !options.json else { return Report.json(["id": .string(id)]) }
            print("queued \(id); the server on this database sends it")
        }
    }

    struct Dead: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "dead",
            abstract: "List the messages that were given up, the newest first.",
            discussion: "What they said is gone. They are forgotten after two days.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Option(help: "At most so many.") var limit = 50

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            guard (1...1_000).contains(limit) else { throw CommandFailure.refused("--limit takes 1 to 1000.") }
            let letters = try await options.withStores { stores in
                try await stores.messages.deadLetters(limit: limit)
            }
            guard !options.json else {
                return Report.json(
                    .array(
                        letters.map { letter in
                            [
                                "id": .string(letter.id.text), "kind": .string(letter.kind.rawValue),
                                "channel": .string(letter.channel.rawValue), "attempts": .integer(letter.attempts),
                                "reason": .string(letter.reason), "at": .integer(letter.finishedAt.rawValue),
                            ]
                        }))
            }
            show(
                letters.map { letter in
                    [
                        letter.id.text, letter.kind.rawValue, letter.channel.rawValue, "\(letter.attempts)",
                        Report.text(letter.finishedAt), letter.reason,
                    ]
                })
        }

        func show(_ rows: [[String]]) {
            Report.table(["ID", "KIND", "CHANNEL", "TRIES", "GIVEN UP", "REASON"], rows)
        }
    }
}
