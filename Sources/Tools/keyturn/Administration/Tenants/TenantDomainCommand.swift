internal import Authority
internal import ArgumentParser
internal import Foundation
internal import KeyturnBase
internal import Model
internal import SignIn

/// `keyturn tenant domain`: the email domains that tenants have proven.
struct TenantDomainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "domain", abstract: "Claim, prove, list and remove the email domains of tenants.",
        discussion: """
            A tenant's own provider and its directory may vouch for addresses in proven domains alone. The proof is a TXT
            record; `add` prints it, `verify` looks for it.
            """,
        subcommands: [Add.self, List.self, Verify.self, Remove.self])

    fileprivate static func read(_ text: String) throws -> EmailDomain {
        switch DomainProof.read(text) {
        case .success(let domain): return domain
        case .failure(let error) where error.flaw == .publicMail:
            throw CommandFailure.refused("\(Printable.text(text)): anyone can have an address there.")
        case .failure:
            throw CommandFailure.refused(
                "\(Printable.text(text)) is no domain. Write it as example.com, international names as xn--….")
        }
    }

    fileprivate static func json(_ domain: TenantDomain) -> JSONValue {
        var members: [String: JSONValue] = [
            "tenant": .string(domain.tenantID), "domain": .string(domain.domain.name),
            "state": .string(domain.state.rawValue), "record_name": .string(DomainProof.recordName(domain.domain)),
            "record_text": .string(DomainProof.recordText(domain.token)),
            "claimed_at": .integer(domain.claimedAt.rawValue),
        ]
        members["proven_at"] = domain.provenAt.map { .integer($0.rawValue) }
        return .object(members)
    }

    fileprivate static func find(_ domain: EmailDomain, of tenant: String, in stores: Stores) async throws
        -> TenantDomain
    {
        let all = try await stores.tenantDomains.domains(of: tenant, limit: Limits.domainsOfTenantMax)
        guard let found = all.first(where: { $0.domain == domain }) else {
            throw CommandFailure.refused(
                "\(Printable.text(tenant)) has not claimed \(domain.name): keyturn tenant domain add.")
        }
        return found
    }

    /// Gives the domain to the tenant, and says who lost it, and what the tenant's directory gains.
    fileprivate static func settle(
        _ claim: TenantDomain, as state: TenantDomain.State, _ options: AdministrationOptions,
        _ changes: AuditedDatabase
    ) async throws -> TenantDomain {
        let now = Ambient.live.now()
        let all = try await changes.stores.tenantDomains.domains(of: nil, limit: Limits.tenantsMax)
        let owner = all.first { $0.domain == claim.domain && [.proven, .trusted].contains($0.state) }?.tenantID
        let kind = state == .trusted ? AuditEvent.Kind.tenantDomainTrusted : .tenantDomainProven
        let loser = try await changes.recording(
            kind, target: claim.tenantID,
            reason: owner == nil || owner == claim.tenantID
                ? claim.domain.name : "\(claim.domain.name) from \(owner ?? "")"
        ).tenantDomains.settle(
            claim.domain, as: state, by: try AuditedDatabase.permitTenants(of: claim.tenantID), at: now)
        var settled = claim
        settled.state = state
        settled.provenAt = now
        if let loser {
            try await changes.stores.audit.append([
                AuditEvent(
                    .tenantDomainLost, at: now, reason: claim.domain.name, actor: Operator.actor.name, target: loser)
            ])
            let sentence = "keyturn: \(Printable.text(loser)) had \(claim.domain.name), and has it no longer.\n"
            FileHandle.standardError.write(Data(sentence.utf8))
        }
        let joined = try await TenantDirectory(of: claim.tenantID, options, changes.stores)
            .rejoin(changes.stores, at: now)
        if joined > 0 {
            let sentence =
                "keyturn: \(joined) users of its directory have a login ID, or the person's own account, now.\n"
            FileHandle.standardError.write(Data(sentence.utf8))
        }
        return settled
    }
}

extension TenantDomainCommand {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Claim a domain for a tenant.",
            discussion: "With --trust the operator's word takes the place of the proof; the audit log tells of it.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "The domain: exactly this one, not those below it.") var domain: String
        @Option(help: "The tenant.") var tenant: String
        @Flag(help: "It is the tenant's: no proof is needed.") var trust = false

        func run() async throws {
            let domain = try TenantDomainCommand.read(domain)
            let claimed = try await options.withChanges { changes in
                let tenant = try TenantCommand.find(tenant, in: changes.access).id
                let claim = try await changes.recording(.tenantDomainClaimed, target: tenant, reason: domain.name)
                    .tenantDomains.claim(
                        DomainProof.claim(domain, of: tenant, .live),
                        by: try AuditedDatabase.permitTenants(of: tenant))
                guard let claim else {
                    throw CommandFailure.refused("a tenant has at most \(Limits.domainsOfTenantMax) domains.")
                }
                return trust ? try await TenantDomainCommand.settle(claim, as: .trusted, options, changes) : claim
            }
            guard !options.json else { return Report.json(TenantDomainCommand.json(claimed)) }
            guard claimed.state != .trusted else { return print("\(domain.name) is trusted") }
            print(
                """
                Ask the owner of \(domain.name) for this TXT record:
                  name  \(DomainProof.recordName(domain))
                  text  \(DomainProof.recordText(claimed.token))
                Then: keyturn tenant domain verify \(domain.name) --tenant \(tenant)
                """)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List claimed and proven domains.")

        @OptionGroup var options: AdministrationOptions
        @Option(help: "Only those of this tenant.") var tenant: String?

        func run() async throws {
            let domains = try await options.withStores { stores in
                try await stores.tenantDomains.domains(of: tenant, limit: Limits.tenantsMax)
            }
            guard !options.json else { return Report.json(.array(domains.map(TenantDomainCommand.json))) }
            guard !domains.isEmpty else { return print("No domains yet. Claim one: keyturn tenant domain add") }
            Report.table(
                ["DOMAIN", "TENANT", "STATE", "PROVEN"],
                domains.map { [$0.domain.name, $0.tenantID, $0.state.rawValue, $0.provenAt.map(Report.text) ?? "-"] })
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Look for a claim's TXT record.",
            discussion: """
                If it is there, the tenant has the domain from now on, and whichever tenant had it before loses it. Exit
                status 2: it is not there. 3: no name server answered.
                """)

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "The domain.") var domain: String
        @Option(help: "The tenant.") var tenant: String
        @Option(
            help: ArgumentHelp("A name server by its IPv4 address, instead of the system's.", valueName: "ip[:port]"))
        var resolver: String?

        func run() async throws {
            let domain = try TenantDomainCommand.read(domain)
            let server = resolver.flatMap(SystemTextRecords.NameServer.init)
            guard resolver == nil || server != nil else {
                throw CommandFailure.refused("--resolver: write it as 192.0.2.1 or 192.0.2.1:53.")
            }
            let proof = DomainProof(records: SystemTextRecords(server: server))
            let settled = try await options.withChanges { changes in
                let claim = try await TenantDomainCommand.find(domain, of: tenant, in: changes.stores)
                let isThere: Bool
                do throws(TextRecordsUnavailable) {
                    isThere = try await proof.isThere(claim)
                } catch {
                    throw CommandFailure.unreachable("no name server answered for \(domain.name).")
                }
                guard isThere else {
                    throw CommandFailure.refused(
                        "there is no TXT record \(DomainProof.recordName(domain)) with the text "
                            + "\(DomainProof.recordText(claim.token)).")
                }
                return try await TenantDomainCommand.settle(claim, as: .proven, options, changes)
            }
            if options.json {
                Report.json(TenantDomainCommand.json(settled))
            } else {
                print("\(domain.name) is proven")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Remove a claim, proven or not. Users and their login IDs stay.")

        @OptionGroup var options: AdministrationOptions
        @Argument(help: "The domain.") var domain: String
        @Option(help: "The tenant.") var tenant: String

        func run() async throws {
            guard let domain = EmailDomain(domain) else {
                throw CommandFailure.refused("\(Printable.text(domain)) is no domain.")
            }
            try await options.withChanges { changes in
                let claim = try await TenantDomainCommand.find(domain, of: tenant, in: changes.stores)
                _ = try await changes.recording(.tenantDomainRemoved, target: claim.tenantID, reason: domain.name)
                    .tenantDomains.remove(
                        domain, by: try AuditedDatabase.permitTenants(of: claim.tenantID))
            }
            if options.json { Report.json(["removed": .string(domain.name)]) } else { print("removed") }
        }
    }
}
