internal import Account
internal import ArgumentParser
internal import Authority
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `keyturn client`: the applications that may ask for tokens.
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "Register, list and remove clients.",
        subcommands: [Create.self, List.self, Show.self, RotateSecret.self, Remove.self])

    fileprivate static func find(_ id: String, in stores: Stores) async throws -> Client {
        guard let client = try await stores.clients.find(id) else { throw unknown(id) }
        return client
    }

    fileprivate static func unknown(_ id: String) -> CommandFailure {
        .refused("there is no client \(Printable.text(id)). `keyturn client list` shows them all.")
    }
}

extension ClientCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Register a client.",
            discussion: "A client that can keep a secret gets one; it is printed once and never again.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "The client's identifier.") var clientID: String
        @Option(help: "What pages call it.") var name: String?
        @Option(name: .customLong("redirect-uri"), help: "Where answers go; may be repeated.") var redirectURIs:
            [String] = []
        @Option(name: .customLong("post-logout-redirect-uri"), help: "Where to go after signing out; may be repeated.")
        var postLogoutRedirectURIs: [String] = []
        @Option(
            name: .customLong("grant-type"),
            help: "\(TokenGrants.registered.map(\.rawValue).joined(separator: ", ")); may be repeated.")
        var grantTypes: [String] = []
        @Option(help: "What it may ask for, in one argument with spaces.") var scope: String?
        @Flag(name: .customLong("public"), help: "It cannot keep a secret: an app or a command line tool.")
        var isPublic = false
        @Flag(help: "It is yours: no consent page.") var firstParty = false
        @Option(help: "authgear or tim, for an app of that SDK; it must be public and yours.") var profile: String?

        private var draft: ClientDraft {
            ClientDraft(
                id: clientID, name: name, redirectURIs: redirectURIs, postLogoutRedirectURIs: postLogoutRedirectURIs,
                grantTypes: grantTypes.isEmpty ? ClientDraft.usualGrantTypes : grantTypes, scope: scope,
                authenticationMethod: isPublic ? ClientAuthenticationMethod.none : .clientSecretBasic,
                isFirstParty: firstParty, profile: profile.flatMap(ClientProfile.init) ?? .standard)
        }

        func validate() throws {
            let mistakes = draft.mistakes
            for case .needsAuthentication(let name) in mistakes {
                throw ValidationError(
                    "\(name) is for clients that can prove who they are. Leave --public out, or the grant type.")
            }
            guard mistakes.contains(.redirectURIMissing) else { return }
            throw ValidationError(
                "a client with the grant type authorization_code needs --redirect-uri, such as "
                    + "https://www.example.com/callback. Another kind of client names its --grant-type.")
        }

        /// What is wrong, in the words of this command. Grant types of another release are taken, and identifiers as they
        /// are.
        private func check(_ mistakes: [ClientMistake]) throws {
            for mistake in mistakes {
                switch mistake {
                case .redirectURI(let uri, let flaw), .postLogoutRedirectURI(let uri, let flaw):
                    throw CommandFailure.refused("\(uri): \(flaw).")
                default: break
                }
            }
            if mistakes.contains(.scope) {
                throw CommandFailure.refused("--scope holds a character that is not allowed.")
            }
            guard let profile else { return }
            guard let known = ClientProfile(rawValue: profile), [.authgear, .tim].contains(known) else {
                throw CommandFailure.refused("--profile is authgear or tim; other clients are written in the file.")
            }
            if mistakes.contains(.profileNeedsOwnPublicClient) {
                throw CommandFailure.refused("--profile \(profile) needs --public and --first-party.")
            }
            if mistakes.contains(.profileNeedsRefreshToken) {
                throw CommandFailure.refused("--profile \(profile) needs --grant-type refresh_token.")
            }
            for case .profileLacksScope(let missing) in mistakes {
                throw CommandFailure.refused("--scope lacks \(missing), which apps of Authgear ask for.")
            }
        }

        private static func duplicate(_ present: Client) -> CommandFailure {
            let origin = present.isFromConfiguration ? ", from the configuration file" : ""
            return .refused(
                "there is a client \(Printable.text(present.id)) already: \(Printable.text(present.name))\(origin). "
                    + "`keyturn client show \(Printable.text(present.id))` shows it; choose another identifier, or remove it."
            )
        }

        func check() throws { try check(draft.mistakes) }

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try check()
            let secret = isPublic ? nil : Secret.ofClient(.live)
            let client = draft.client(secret)
            try await options.withChanges { changes -> Void in
                let stores = changes.recording(
                    .clientRegistered, client: clientID, note: changes.note(from: nil, to: client))
                let permission = try AuditedDatabase.permit(Acts.ChangeClient.self, on: .client(clientID))
                guard try await !stores.clients.add(client, by: permission, at: Ambient.live.now()) else { return }
                throw Self.duplicate(try await find(clientID, in: changes.stores))
            }
            guard !options.json else { return Report.json(try ClientDocument.json(client, secret: secret)) }
            print("registered \(clientID)")
            if let secret { print("client_secret: \(secret.exposed())\nKeep it: it is not shown again.") }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List clients.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            let clients = try await options.withStores { stores in
                try await stores.clients.all(limit: Limits.clientsMax)
            }
            guard !options.json else { return Report.json(.array(try clients.map { try ClientDocument.json($0) })) }
            show(
                clients.map { client in
                    [
                        client.id, client.authenticationMethod?.rawValue ?? "unknown",
                        (client.metadata.grantTypes ?? ["authorization_code"]).joined(separator: " "), client.name,
                    ]
                })
        }

        func show(_ rows: [[String]]) {
            guard !rows.isEmpty else {
                return print("No clients yet. Register one: keyturn client create ID --redirect-uri URL")
            }
            Report.table(["CLIENT", "AUTHENTICATION", "GRANTS", "NAME"], rows)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show what a client registered.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "The client's identifier.") var clientID: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            let (client, streams) = try await options.withStores { stores in
                (try await find(clientID, in: stores), try await SignalStreamState.all(of: clientID, stores))
            }
            var members = try ClientDocument.json(client).objectValue ?? [:]
            if !streams.isEmpty { members["signal_streams"] = .array(streams.map(\.json)) }
            show(.object(members))
        }

        func show(_ json: JSONValue) {
            guard !options.json else { return Report.json(json) }
            for (name, value) in (json.objectValue ?? [:]).sorted(by: { $0.key < $1.key }) {
                print("\(name): \(value.stringValue ?? String(decoding: value.serialized, as: UTF8.self))")
            }
        }
    }

    struct RotateSecret: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-secret", abstract: "Give a client a new secret.",
            discussion:
                "With --keep-old the old one stays good until the next rotation, so that nothing stops meanwhile.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "The client's identifier.") var clientID: String
        @Flag(help: "Keep the present secret good beside the new one.") var keepOld = false

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            let secret = Secret.ofClient(.live)
            try await options.withChanges { changes -> Void in
                let client = try await find(clientID, in: changes.stores)
                guard !client.isPublic else { throw CommandFailure.refused("\(clientID) is public: it has no secret.") }
                guard !client.isFromConfiguration else {
                    throw CommandFailure.refused(
                        "\(clientID) comes from the configuration file: change its secret there.")
                }
                let keepsOld = keepOld
                let note = changes.note
                let rule = note.noting { (client: inout Client) in client.rotateSecret(to: secret, keepsOld: keepsOld) }
                let permission = try AuditedDatabase.permit(Acts.ChangeClient.self, on: .client(clientID))
                _ = try await changes.recording(.clientSecretChanged, client: clientID, note: note).clients
                    .change(by: permission, at: Ambient.live.now(), rule)
            }
            show(secret.exposed())
        }

        func show(_ secret: String) {
            if options.json {
                return Report.json(["client_id": .string(clientID), "client_secret": .string(secret)])
            }
            print("client_secret: \(secret)\nKeep it: it is not shown again.")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a client, and end everything it holds.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "The client's identifier.") var clientID: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await options.withChanges { changes in
                let note = changes.note(from: try await changes.stores.clients.find(clientID), to: nil)
                let stores = changes.recording(.clientRemoved, client: clientID, note: note)
                let permission = try AuditedDatabase.permit(Acts.RemoveClient.self, on: .client(clientID))
                guard try await stores.clients.remove(by: permission, at: Ambient.live.now()) else {
                    throw ClientCommand.unknown(clientID)
                }
            }
            print("removed")
        }
    }
}
