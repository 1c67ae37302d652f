internal import ArgumentParser
internal import Foundation
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
        guard let client = try await stores.clients.all(limit: Limits.clientsMax).first(where: { $0.id == id }) else {
            throw unknown(id)
        }
        return client
    }

    fileprivate static func unknown(_ id: String) -> CommandFailure {
        .refused("there is no client \(Printable.text(id)). `keyturn client list` shows them all.")
    }

    fileprivate static func json(_ client: Client, secret: Secret? = nil) throws -> JSONValue {
        let metadata = try JSONValue(parsing: JSONEncoder().encode(client.metadata))
        var members = metadata.objectValue ?? [:]
        members["client_id"] = .string(client.id)
        members["first_party"] = .bool(client.isFirstParty)
        if client.profile != .standard { members["profile"] = .string(client.profile.rawValue) }
        if let seconds = client.assertionSeconds { members["assertion_seconds"] = .integer(seconds) }
        members["from_configuration"] = .bool(client.isFromConfiguration)
        if let secret { members["client_secret"] = .string(secret.exposed()) }
        return .object(members)
    }

    /// 256 bits cannot be guessed, so a plain digest is enough to keep.
    fileprivate static func makeSecret() -> Secret {
        Secret(Ambient.live.randomToken(byteCount: 32))
    }
}

extension ClientCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Register a client.",
            discussion: "A client that can keep a secret gets one; it is printed once and never again.")

        @OptionGroup var options: AdministrationOptions
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

        private var grants: [String] { grantTypes.isEmpty ? ["authorization_code", "refresh_token"] : grantTypes }

        /// A client that could do nothing is refused: the authorization endpoint answers to registered addresses alone
        /// (RFC 6749 §3.1.2.2), and some grant types are for clients that authenticate.
        func validate() throws {
            if isPublic, let name = grants.first(where: ClientMetadataRules.needsAuthentication) {
                throw ValidationError(
                    "\(name) is for clients that can prove who they are. Leave --public out, or the grant type.")
            }
            guard grants.contains("authorization_code"), redirectURIs.isEmpty else { return }
            throw ValidationError(
                "a client with the grant type authorization_code needs --redirect-uri, such as "
                    + "https://www.example.com/callback. Another kind of client names its --grant-type.")
        }

        private static func duplicate(_ present: Client) -> CommandFailure {
            let origin = present.isFromConfiguration ? ", from the configuration file" : ""
            return .refused(
                "there is a client \(Printable.text(present.id)) already: \(Printable.text(present.name))\(origin). "
                    + "`keyturn client show \(Printable.text(present.id))` shows it; choose another identifier, or remove it."
            )
        }

        func run() async throws {
            for uri in redirectURIs + postLogoutRedirectURIs {
                if let flaw = RedirectURI.flaw(in: uri) { throw CommandFailure.refused("\(uri): \(flaw).") }
            }
            if let scope, Scope(scope) == nil {
                throw CommandFailure.refused("--scope holds a character that is not allowed.")
            }
            let profile = try checkedProfile()
            var metadata = ClientMetadata()
            metadata.clientName = name
            metadata.redirectURIs = redirectURIs
            metadata.postLogoutRedirectURIs = postLogoutRedirectURIs
            metadata.grantTypes = grants
            metadata.scope =
                scope ?? (profile == .authgear ? ClientProfile.authgearScopes.joined(separator: " ") : nil)
            metadata.tokenEndpointAuthMethod = isPublic ? "none" : "client_secret_basic"
            if isPublic { metadata.applicationType = "native" }
            let secret = isPublic ? nil : makeSecret()
            let client = Client(
                id: clientID, metadata: metadata, secretDigests: secret.map { [SecretDigest(of: $0)] } ?? [],
                isFirstParty: firstParty, profile: profile)
            try await options.withChanges { changes -> Void in
                let known = try await changes.stores.clients.all(limit: Limits.clientsMax)
                if let present = known.first(where: { $0.id == clientID }) { throw Self.duplicate(present) }
                try await changes.recording(.clientRegistered, client: clientID).clients
                    .put(client, at: Ambient.live.now())
            }
            guard !options.json else { return Report.json(try json(client, secret: secret)) }
            print("registered \(clientID)")
            if let secret { print("client_secret: \(secret.exposed())\nKeep it: it is not shown again.") }
        }

        /// What the configuration's check asks of such clients, asked here.
        private func checkedProfile() throws -> ClientProfile {
            guard let profile else { return .standard }
            guard let known = ClientProfile(rawValue: profile), [.authgear, .tim].contains(known) else {
                throw CommandFailure.refused("--profile is authgear or tim; other clients are written in the file.")
            }
            guard isPublic, firstParty else {
                throw CommandFailure.refused("--profile \(profile) needs --public and --first-party.")
            }
            guard grantTypes.isEmpty || grantTypes.contains(GrantType.refreshToken.rawValue) else {
                throw CommandFailure.refused("--profile \(profile) needs --grant-type refresh_token.")
            }
            let asked = scope.flatMap { Scope($0) }
            if known == .authgear, let asked,
                let missing = ClientProfile.authgearScopes.first(where: { !asked.contains($0) })
            {
                throw CommandFailure.refused("--scope lacks \(missing), which apps of Authgear ask for.")
            }
            return known
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List clients.")

        @OptionGroup var options: AdministrationOptions

        func run() async throws {
            let clients = try await options.withStores { stores in
                try await stores.clients.all(limit: Limits.clientsMax)
            }
            guard !options.json else { return Report.json(.array(try clients.map { try json($0) })) }
            guard !clients.isEmpty else {
                return print("No clients yet. Register one: keyturn client create ID --redirect-uri URL")
            }
            Report.table(
                ["CLIENT", "AUTHENTICATION", "GRANTS", "NAME"],
                clients.map { client in
                    [
                        client.id, client.authenticationMethod?.rawValue ?? "unknown",
                        (client.metadata.grantTypes ?? ["authorization_code"]).joined(separator: " "), client.name,
                    ]
                })
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "show", abstract: "Show what a client registered.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "The client's identifier.") var clientID: String

        func run() async throws {
            let client = try await options.withStores { stores in try await find(clientID, in: stores) }
            let json = try ClientCommand.json(client)
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
        @Argument(help: "The client's identifier.") var clientID: String
        @Flag(help: "Keep the present secret good beside the new one.") var keepOld = false

        func run() async throws {
            let secret = makeSecret()
            try await options.withChanges { changes -> Void in
                var client = try await find(clientID, in: changes.stores)
                guard !client.isPublic else { throw CommandFailure.refused("\(clientID) is public: it has no secret.") }
                guard !client.isFromConfiguration else {
                    throw CommandFailure.refused(
                        "\(clientID) comes from the configuration file: change its secret there.")
                }
                let kept = keepOld ? client.secretDigests.prefix(1) : []
                client.secretDigests = [SecretDigest(of: secret)] + kept
                try await changes.recording(.clientSecretChanged, client: clientID).clients
                    .put(client, at: Ambient.live.now())
            }
            if options.json {
                return Report.json(["client_id": .string(clientID), "client_secret": .string(secret.exposed())])
            }
            print("client_secret: \(secret.exposed())\nKeep it: it is not shown again.")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Remove a client, and end everything it holds.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "The client's identifier.") var clientID: String

        func run() async throws {
            try await options.withChanges { changes in
                let stores = changes.recording(.clientRemoved, client: clientID)
                guard try await stores.clients.remove(clientID, at: Ambient.live.now()) else {
                    throw ClientCommand.unknown(clientID)
                }
            }
            print("removed")
        }
    }
}
