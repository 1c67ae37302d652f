internal import ArgumentParser
internal import Authority
internal import Foundation
internal import KeyturnBase
internal import Model

/// `keyturn scim token`: what a tenant's directory authenticates with.
struct SCIMTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Create, list and revoke the tokens of a tenant's directory.",
        discussion: "Two tokens are good at the same time, so that a directory can change to a new one.",
        subcommands: [Create.self, List.self, Revoke.self])

    /// Without a domain the directory's users are accounts that no one can sign in to by their address.
    static func warn(of tenant: String) {
        let sentence = """
            keyturn: \(Printable.text(tenant)) has proven no domain. Users that its directory makes get no login ID until it \
            has: keyturn tenant domain add.

            """
        FileHandle.standardError.write(Data(sentence.utf8))
    }

    fileprivate static func json(_ token: SCIMToken, secret: Secret? = nil) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(token.id), "tenant": .string(token.tenantID), "name": .string(token.name),
            "created_at": .integer(token.createdAt.rawValue),
        ]
        members["expires_at"] = token.expiresAt.map { .integer($0.rawValue) }
        members["used_at"] = token.usedAt.map { .integer($0.rawValue) }
        members["token"] = secret.map { .string($0.exposed()) }
        return .object(members)
    }
}

extension SCIMTokenCommand {
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a token. It is shown once.",
            discussion: "It opens /scim/v2 for its tenant, and nothing else.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Option(help: "The tenant.") var tenant: String
        @Option(help: "What it is for.") var name = ""
        @Option(help: ArgumentHelp("How long it is good. Default: until it is revoked.", valueName: "days"))
        var days: Int64?

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            guard name.utf8.count <= Limits.nameBytesMax else {
                throw CommandFailure.refused("the name has at most \(Limits.nameBytesMax) bytes.")
            }
            guard days.map({ (1...3_650).contains($0) }) ?? true else {
                throw CommandFailure.refused("--days is 1 to 3650.")
            }
            let now = Ambient.live.now()
            let secret = Secret("ktscim_" + Ambient.live.randomToken(byteCount: 32))
            let (token, hasDomain) = try await options.withChanges { changes in
                let token = SCIMToken(
                    id: UserID.make(.live).rawValue, tenantID: try TenantCommand.find(tenant, in: changes.access).id,
                    name: name, createdAt: now, expiresAt: days.map { now + $0 * 86_400 })
                let isMade = try await changes.recording(
                    .provisioningTokenMade, target: token.tenantID, reason: token.id,
                    note: changes.note(from: nil, to: token)
                ).provisioningTokens.create(
                    token, digest: SecretDigest(of: secret),
                    by: try AuditedDatabase.permit(
                        Acts.MakeProvisioningToken.self, on: .project(tenant: token.tenantID)))
                guard isMade else {
                    throw CommandFailure.refused("a tenant has at most \(Limits.scimTokensMax) tokens: revoke one.")
                }
                let directory = try await TenantDirectory(of: token.tenantID, options, changes.stores)
                return (token, !directory.domains.isEmpty)
            }
            if !hasDomain { SCIMTokenCommand.warn(of: token.tenantID) }
            guard !options.json else { return Report.json(SCIMTokenCommand.json(token, secret: secret)) }
            print("Token (shown once): \(secret.exposed())")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List a tenant's tokens and their last use.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Option(help: "The tenant.") var tenant: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            let tokens = try await options.withAccess { stores, access in
                try await stores.provisioningTokens.tokens(of: try TenantCommand.find(tenant, in: access).id)
            }
            guard !options.json else { return Report.json(.array(tokens.map { SCIMTokenCommand.json($0) })) }
            show(
                tokens.map { token in
                    [
                        token.id, token.name, Report.text(token.createdAt), token.usedAt.map(Report.text) ?? "never",
                        token.expiresAt.map(Report.text) ?? "-",
                    ]
                })
        }

        func show(_ rows: [[String]]) {
            guard !rows.isEmpty else { return print("No tokens yet. Create one: keyturn scim token create") }
            Report.table(["TOKEN", "NAME", "CREATED", "LAST USE", "EXPIRES"], rows)
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke a token: it is refused at once.")

        @OptionGroup var options: AdministrationOptions
        @OptionGroup(title: "Through the network") var network: NetworkOptions
        @Argument(help: "Its identifier, as `list` shows it.") var id: String
        @Option(help: "The tenant.") var tenant: String

        func run() async throws {
            if let server = try await network.remote(options) { return try await run(on: server) }
            try await options.withChanges { changes in
                let isRevoked = try await changes.recording(.provisioningTokenRevoked, target: tenant, reason: id)
                    .provisioningTokens.revoke(
                        id,
                        by: try AuditedDatabase.permit(
                            Acts.MakeProvisioningToken.self, on: .project(tenant: tenant)))
                guard isRevoked else {
                    throw CommandFailure.refused("\(Printable.text(tenant)) has no token \(Printable.text(id)).")
                }
            }
            if options.json { Report.json(["revoked": .string(id)]) } else { print("revoked") }
        }
    }
}
