import Authority
import KeyturnBase
import Model
import ServerTesting
import Testing

/// What belongs to a tenant or to the project is changed with a permission for this tenant, or for the project.
@Suite("Permissions: tenants, roles and keys")
struct ProjectPermissionTests {
    private static let rulebook = Rulebook(AuthorityPolicy())

    private static func permit<A: SingleAct>(_ act: A.Type, for tenant: String?) throws -> Allowed<A> {
        try rulebook.permit(act, to: .managementKey, on: .project(tenant: tenant))
    }

    @Test(arguments: Engines.withValues)
    func `a permission for one tenant is none for another, nor for the project`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (tenants, roles, domains) = (bench.stores.tenants, bench.stores.roles, bench.stores.tenantDomains)
        for id in ["one", "two"] { try await tenants.create(Tenant(id: id, name: id, createdAt: bench.now)) }
        let shared = Role(id: "R0", tenantID: nil, name: "admin", permissions: [], createdAt: bench.now)
        try await roles.create(shared)
        let domain = try #require(EmailDomain("two.example"))
        _ = try await domains.claim(
            TenantDomain(tenantID: "two", domain: domain, state: .pending, token: "t", claimedAt: bench.now))
        let attempts: [@Sendable () async throws -> Void] = [
            {
                let permission = try Self.permit(Acts.ChangeTenants.self, for: "one")
                try await tenants.update(Tenant(id: "two", name: "Taken", createdAt: bench.now), by: permission)
            },
            {
                let permission = try Self.permit(Acts.ChangeTenants.self, for: nil)
                _ = try await tenants.delete(by: permission, at: bench.now)
            },
            {
                let permission = try Self.permit(Acts.ChangeTenants.self, for: "one")
                try await roles.update(shared, by: permission)
            },
            {
                let permission = try Self.permit(Acts.ChangeTenants.self, for: "one")
                try await roles.create(Permission(name: "write"), by: permission)
            },
            {
                let permission = try Self.permit(Acts.MakeProvisioningToken.self, for: "one")
                let token = SCIMToken(id: "t", tenantID: "two", name: "", createdAt: bench.now)
                _ = try await bench.stores.provisioningTokens.create(
                    token, digest: bench.digest("t"), by: permission)
            },
        ]
        for attempt in attempts { #expect(try await bench.refusal(attempt) == .forbidden) }
        let permission = try Self.permit(Acts.ChangeTenants.self, for: "one")
        #expect(try await !roles.deleteRole("R0", by: permission), "the project's role stays")
        #expect(try await !domains.remove(domain, by: permission))
        #expect(try await tenants.all(limit: 9).map(\.name) == ["one", "two"])
        #expect(try await roles.roles(limit: 9) == [shared])
    }

    @Test(arguments: Engines.withValues)
    func `a directory changes no group of another tenant`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        for id in ["one", "two"] {
            try await bench.stores.tenants.create(Tenant(id: id, name: id, createdAt: bench.now))
        }
        let groups = bench.stores.provisionedGroups
        let made = try await groups.createGroup("g", in: "two", bench.content("crew"), members: [], at: bench.now).get()
        let own = { () throws -> Allowed<Acts.Provision> in
            try Self.rulebook.permit(
                Acts.Provision.self, to: .directory(tenant: "one"), on: .project(tenant: "one"))
        }
        #expect(throws: Denial.refused(.foreignTenant)) {
            _ = try Self.rulebook.permit(
                Acts.Provision.self, to: .directory(tenant: "one"), on: .project(tenant: "two"))
        }
        #expect(try await groups.deleteGroup(made.id, by: try own(), version: nil, at: bench.now) == .missing)
        let refusal = try await bench.refusal {
            _ = try await groups.changeGroup(made.id, by: try own(), at: bench.now) { _ in
                .success(SCIMGroupChange(members: [.replace([])]))
            }
        }
        #expect(refusal == .missing)
    }
}
