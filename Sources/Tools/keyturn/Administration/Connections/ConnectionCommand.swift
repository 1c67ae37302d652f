internal import Account
internal import ArgumentParser
internal import Authority
internal import Delivery
internal import Federation
internal import KeyturnBase
internal import LDAP
internal import Model
internal import SAML
internal import SignIn

/// `keyturn connection`: identity providers that users sign in at.
struct ConnectionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connection", abstract: "Connect identity providers, of the project or of one tenant.",
        discussion: """
            Connections of the configuration file are shown, and changed there alone. A running server uses a change \
            within a second. Secrets are read from files, and never shown.
            """,
        subcommands: [List.self, Show.self, Add.self, Change.self, Enable.self, Disable.self, Remove.self, Try.self])

    /// What a command works with.
    struct Context {
        let editor: ConnectionEditor
        let issuer: String
        let trials: @Sendable (Stores, AccessDirectory) -> ConnectionTrials
        var connections: ConnectionDirectory { editor.connections }

        /// - Parameters:
        ///   - store: where changes are written.
        ///   - stores: what else is read.
        init(
            _ configuration: ServerConfiguration, _ access: AccessDirectory, _ store: any ConnectionStore,
            _ stores: Stores, note: ChangeNote? = nil
        ) async throws {
            guard let secrets = ServerSecrets(try SecretsFile.secrets(for: configuration)) else {
                throw CommandFailure.refused("secrets: list one to \(Limits.secretsMax) secrets of 32 bytes each.")
            }
            issuer = configuration.issuer.text(listeningOn: configuration.listen)
            let connections = ConnectionDirectory(
                configured: configuration.connections, store: store, seal: ConnectionSeal(secrets, ambient: .live))
            try await connections.reload()
            trials = { stores, access in
                ConnectionTrials(
                    stores: stores, secrets: secrets,
                    domains: TenantDomains(connections: connections, store: stores.tenantDomains), directory: access,
                    ambient: .live)
            }
            editor = ConnectionEditor(
                connections: connections, access: access,
                protocols: ConnectionProtocols(
                    openID: OpenIDProtocol(issuer: issuer, http: NoProviders(), ambient: .live),
                    saml: SAMLProtocol(
                        issuer: issuer, http: ProviderHTTPClient(issuer: issuer), key: nil, ambient: .live),
                    directoryMistakes: { settings in
                        DirectoryCheck.mistakes(settings).map { ConnectionMistake($0.name, $0.why, $0.remedy) }
                    }),
                rules: ConnectionRules(issuer: issuer, isDevelopment: configuration.isDevelopment),
                domains: stores.tenantDomains,
                // The machine may do everything, whatever a project's settings are.
                rulebook: Rulebook(AuthorityPolicy()), audit: nil, note: note, ambient: .live)
        }

        /// The connection as `--json` prints it.
        func json(_ connection: Connection) -> JSONValue {
            var members = ConnectionDocument.json(connection)
            members["from_configuration"] = .bool(connections.isConfigured(connection.id))
            members["enter_at_provider"] = .array(editor.entries(for: connection).map(JSONValue.string))
            return .object(members)
        }

        /// What is entered at the provider, for people.
        func entries(_ connection: Connection) -> String {
            let lines = editor.entries(for: connection)
            return lines.isEmpty
                ? "" : (["enter at the provider:"] + lines.map { "  \(Printable.line($0))" }).joined(separator: "\n")
        }
    }

    /// The mistakes as a command's refusal.
    static func words(_ refusal: ConnectionRefusal) -> CommandFailure {
        .refused(refusal.mistakes.map { Printable.line($0.sentence) }.joined(separator: "\n"))
    }

    /// Runs a change, of which each connection's event tells, and prints what came of it.
    static func change(
        _ id: String, _ kind: AuditEvent.Kind, tenant: String? = nil, _ options: AdministrationOptions, word: String,
        _ work: (ConnectionEditor) async throws -> Connection?
    ) async throws {
        let configuration = try options.configuration()
        do {
            try await options.withChanges { changes in
                let present = try await Context(
                    configuration, changes.access, changes.stores.connections, changes.stores
                )
                .connections.connection(id)
                let note = changes.note
                let store = changes.recording(
                    kind, target: id, reason: tenant ?? present?.tenantID, note: note
                ).connections
                let context = try await Context(
                    configuration, changes.access, store, changes.stores, note: note)
                let connection = try await work(context.editor)
                guard !options.json else {
                    return Report.json(connection.map(context.json) ?? ["removed": .string(id)])
                }
                print("\(word) \(id)")
                if let connection, word != "disabled" { print(context.entries(connection)) }
            }
        } catch let refusal as ConnectionRefusal {
            throw words(refusal)
        }
    }
}

/// Commands change settings, and ask no provider.
private struct NoProviders: OutgoingHTTP {
    func send(_ request: OutgoingRequest) async throws(OutgoingProblem) -> OutgoingAnswer { throw .unreachable }
}

extension ConnectionCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List connections.")

        @OptionGroup var options: AdministrationOptions
        @Option(help: "Only those of this tenant.") var tenant: String?

        func run() async throws {
            let configuration = try options.configuration()
            try await options.withAccess { stores, access in
                let context = try await Context(configuration, access, stores.connections, stores)
                let tenant = try tenant.map { try TenantCommand.find($0, in: access).id }
                let found = context.connections.all.filter { tenant == nil || $0.tenantID == tenant }
                let unreadable = context.connections.unreadable
                guard !options.json else {
                    return Report.json([
                        "connections": .array(found.map(context.json)),
                        "unreadable": .array(unreadable.map(JSONValue.string)),
                    ])
                }
                guard !found.isEmpty || !unreadable.isEmpty else {
                    return print("No connections yet. Add one: keyturn connection add ID --preset google …")
                }
                let rows = found.map { connection in
                    [
                        connection.id, connection.tenantID ?? "(all)", context.kind(of: connection),
                        connection.isEnabled ? "enabled" : "disabled",
                        context.connections.isConfigured(connection.id) ? "file" : "database",
                        Printable.text(connection.name),
                    ]
                }
                let lost = unreadable.map { [$0, "?", "?", "unreadable", "database", ""] }
                Report.table(["CONNECTION", "TENANT", "KIND", "STATE", "FROM", "NAME"], rows + lost)
                guard !unreadable.isEmpty else { return }
                Live.writeError(
                    "keyturn: a secret is missing that sealed \(unreadable.joined(separator: ", ")): add it again "
                        + "(secrets), or remove the connection.\n")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show a connection, and what to enter at the provider.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "Its identifier.") var id: String

        func run() async throws {
            let configuration = try options.configuration()
            try await options.withAccess { stores, access in
                let context = try await Context(configuration, access, stores.connections, stores)
                let connection: Connection
                do throws(ConnectionRefusal) {
                    connection = try context.editor.find(id)
                } catch {
                    throw words(error)
                }
                guard !options.json else { return Report.json(context.json(connection)) }
                print(connection.id)
                var members = context.json(connection).objectValue ?? [:]
                for name in ["id", "enter_at_provider"] { members[name] = nil }
                Report.members(members)
                print(context.entries(connection))
            }
        }
    }
}

extension ConnectionCommand.Context {
    /// The preset, or what the provider speaks.
    func kind(of connection: Connection) -> String {
        switch connection.settings {
        case .openID(let settings): settings.preset ?? "openid"
        case .saml: "saml"
        case .ldap: "ldap"
        }
    }
}

extension Printable {
    /// One line of any length, control characters replaced.
    fileprivate static func line(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar in
                [.control, .format].contains(scalar.properties.generalCategory)
                    ? Character("\u{FFFD}") : Character(scalar)
            })
    }
}
