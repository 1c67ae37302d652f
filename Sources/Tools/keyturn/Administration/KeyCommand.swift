internal import ArgumentParser
internal import KeyturnBase
internal import KeyturnJose
internal import Model

/// `keyturn key`: the keys that sign tokens.
struct KeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "See the signing keys' schedule, and change it.",
        discussion: "The server rotates by itself: every 30 days, with the next key published two days ahead.",
        subcommands: [List.self, Rotate.self, Drop.self])

    fileprivate static func state(_ key: StoredKey, at now: UnixTime) -> String {
        key.state(at: now)?.rawValue ?? ""
    }

    fileprivate static func rotation(_ changes: AuditedDatabase, _ configuration: ServerConfiguration) throws
        -> KeyRotation
    {
        guard let secrets = ServerSecrets(try SecretsFile.secrets(for: configuration)) else {
            throw CommandFailure.refused("secrets: list one to \(Limits.secretsMax) secrets of 32 bytes each.")
        }
        let project = configuration.project
        let tokenSeconds = max(
            Int64(project.accessTokenSeconds), Limits.idTokenSeconds, Int64(project.refreshTokenIdleSeconds))
        let store = AuditedKeyStore(changes.stores.keys) { kind, keyID, reason in
            changes.recording(kind, target: keyID, reason: reason).keys
        }
        return KeyRotation(
            store: store, secrets: secrets, tokenSecondsMax: tokenSeconds,
            provider: try configuration.signingKeyProvider(), ambient: .live)
    }
}

extension KeyCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List keys with their schedule.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            let now = Ambient.live.now()
            let keys = try await options.withStores { stores in
                try await stores.keys.all().filter { now < $0.removedAt }
            }
            guard !options.json else {
                return Report.json(
                    .array(
                        keys.map { key in
                            [
                                "kid": .string(key.keyID), "alg": .string(key.algorithm),
                                "state": .string(state(key, at: now)),
                                "activates_at": .integer(key.activatesAt.rawValue),
                                "retires_at": .integer(key.retiresAt.rawValue),
                                "removed_at": .integer(key.removedAt.rawValue),
                            ]
                        }))
            }
            show(
                keys.map { key in
                    [key.keyID, key.algorithm, state(key, at: now)]
                        + [key.activatesAt, key.retiresAt, key.removedAt].map(Report.text)
                })
        }

        func show(_ rows: [[String]]) {
            Report.table(["KID", "ALG", "STATE", "SIGNS FROM", "SIGNS UNTIL", "PUBLISHED UNTIL"], rows)
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Publish a new key now; it takes over in two days, when everybody knows it.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "The algorithm: ES256 or RS256.") var algorithm = "ES256"

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            guard let algorithm = SignatureAlgorithm(rawValue: algorithm) else {
                throw CommandFailure.refused("\(algorithm) is no algorithm of this server: say ES256 or RS256.")
            }
            let configuration = try options.configuration()
            let key = try await options.withChanges { changes in
                try await rotation(changes, configuration).rotate(algorithm)
            }
            guard let key else { return print("a newer key is on its way already") }
            print("published \(key.keyID); it signs from \(Report.text(key.activatesAt))")
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop",
            abstract: "Take a key out at once, because somebody else may have it.",
            discussion: "Everything it signed is refused from now on. A new key takes its place immediately.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "The key's kid.") var keyID: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            let configuration = try options.configuration()
            let key = try await options.withChanges { changes in
                try await rotation(changes, configuration).drop(keyID)
            }
            print("dropped \(keyID)" + (key.map { "; \($0.keyID) signs now" } ?? ""))
        }
    }
}
