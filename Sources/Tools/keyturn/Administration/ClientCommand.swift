internal import ArgumentParser
internal import Foundation
internal import Identity
internal import KeyturnBase
internal import KeyturnWire

/// `keyturn client`: the applications that may ask for tokens.
struct ClientCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "Register, list and remove clients.",
        subcommands: [Create.self, List.self, Show.self, RotateSecret.self, Remove.self])

    fileprivate static func find(_ id: String, in stores: Stores) async throws -> Client {
        guard let client = try await stores.clients.all(limit: Limits.clientsMax).first(where: { $0.id == id }) else {
            throw CommandFailure.refused("there is no client \(id). `keyturn client list` shows them all.")
        }
        return client
    }

    fileprivate static func json(_ client: Client, secret: Secret? = nil) throws -> JSONValue {
        let metadata = try JSONValue(parsing: JSONEncoder().encode(client.metadata))
        var members = metadata.objectValue ?? [:]
        members["client_id"] = .string(client.id)
        members["first_party"] = .bool(client.isFirstParty)
        members["from_configuration"] = .bool(client.isFromConfiguration)
        if let secret { members["client_secret"] = .string(secret.exposed()) }
        return .object(members)
    }

    /// 256 bits: nobody guesses it, so a plain digest of it is enough to keep.
    fileprivate static func makeSecret() -> Secret {
        Secret(Ambient.live.randomToken(byteCount: 32))
    }
}

extension ClientCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
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
            help: "authorization_code, refresh_token, client_credentials; may be repeated.")
        var grantTypes: [String] = []
        @Option(help: "What it may ask for, in one argument with spaces.") var scope: String?
        @Flag(name: .customLong("public"), help: "It cannot keep a secret: an app or a command line tool.")
        var isPublic = false
        @Flag(help: "It is yours: no consent page.") var firstParty = false

        func run() async throws {
            for uri in redirectURIs + postLogoutRedirectURIs {
                if let flaw = RedirectURI.flaw(in: uri) { throw CommandFailure.refused("\(uri): \(flaw).") }
            }
            if let scope, Scope(scope) == nil {
                throw CommandFailure.refused("--scope holds a character that is not allowed.")
            }
            var metadata = ClientMetadata()
            metadata.clientName = name
            metadata.redirectURIs = redirectURIs
            metadata.postLogoutRedirectURIs = postLogoutRedirectURIs
            metadata.grantTypes = grantTypes.isEmpty ? ["authorization_code", "refresh_token"] : grantTypes
            metadata.scope = scope
            metadata.tokenEndpointAuthMethod = isPublic ? "none" : "client_secret_basic"
            if isPublic { metadata.applicationType = "native" }
            let secret = isPublic ? nil : makeSecret()
            let client = Client(
                id: clientID, metadata: metadata, secretDigests: secret.map { [SecretDigest(of: $0)] } ?? [],
                isFirstParty: firstParty)
            try await options.withStores { stores -> Void in
                let known = try await stores.clients.all(limit: Limits.clientsMax)
                guard !known.contains(where: { $0.id == clientID }) else { throw StoreError(.conflict) }
                try await stores.clients.put(client, at: Ambient.live.now())
            }
            guard !options.json else { return Report.json(try json(client, secret: secret)) }
            print("registered \(clientID)")
            if let secret { print("client_secret: \(secret.exposed())\nKeep it: it is not shown again.") }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List clients.")

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
        static let configuration = CommandConfiguration(abstract: "Show what a client registered.")

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
            try await options.withStores { stores -> Void in
                var client = try await find(clientID, in: stores)
                guard !client.isPublic else { throw CommandFailure.refused("\(clientID) is public: it has no secret.") }
                guard !client.isFromConfiguration else {
                    throw CommandFailure.refused(
                        "\(clientID) comes from the configuration file: change its secret there.")
                }
                let kept = keepOld ? client.secretDigests.prefix(1) : []
                client.secretDigests = [SecretDigest(of: secret)] + kept
                try await stores.clients.put(client, at: Ambient.live.now())
            }
            if options.json {
                return Report.json(["client_id": .string(clientID), "client_secret": .string(secret.exposed())])
            }
            print("client_secret: \(secret.exposed())\nKeep it: it is not shown again.")
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a client, and end everything it holds.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "The client's identifier.") var clientID: String

        func run() async throws {
            try await options.withStores { stores in
                guard try await stores.clients.remove(clientID, at: Ambient.live.now()) else {
                    throw StoreError(.missing)
                }
            }
            print("removed")
        }
    }
}
