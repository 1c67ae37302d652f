import Authority
import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: a directory, and a user who may act as others")
struct ActingMemberTests {
    /// How the user has the role.
    private enum Holding: CaseIterable {
        case everywhere, inTenant, byDefault
    }

    private static let proven: Set = ["a.example"]
    private static let (given, next) = ("kim@a.example", "next@a.example")
    private static let right = "users.impersonate"

    private static func content(_ name: String, isActive: Bool = true) -> SCIMContent {
        SCIMContent(
            attributes: ["userName": .string(name)], nameKey: name, externalID: nil, isActive: isActive, values: [])
    }

    /// What the directory says of a user.
    private static func say(
        _ name: String, isActive: Bool = true, of record: SCIMRecord, _ bench: Bench
    ) async throws {
        let change = SCIMUserChange(
            content: content(name, isActive: isActive), profile: bench.profile(name, isProven: true))
        let allowed = try Rulebook(AuthorityPolicy()).permit(
            Acts.Provision.self, to: .directory(tenant: "t1"), on: .project(tenant: "t1"))
        _ = try await bench.stores.provisionedUsers.changeUser(
            record.id, by: allowed, connections: [], provenDomains: proven, at: bench.now
        ) { _ in .success(change) }
    }

    private static func role(_ holding: Holding, may permissions: [String], _ bench: Bench) -> Role {
        Role(
            id: "r1", tenantID: holding == .everywhere ? nil : "t1", name: "deputy", permissions: permissions,
            isDefault: holding == .byDefault, createdAt: bench.now)
    }

    /// A user whom the directory made, and who has the role.
    private static func holder(_ holding: Holding, may permissions: [String], isActive: Bool = true, _ bench: Bench)
        async throws -> (record: SCIMRecord, id: UserID)
    {
        try await bench.tenant("t1")
        try await bench.stores.roles.create(role(holding, may: permissions, bench))
        let record = try await bench.provisioned(
            "kim", in: "t1", content(given, isActive: isActive), bench.profile(given, isProven: true))
        let id = try #require(record.userID)
        if holding != .byDefault {
            let tenant = holding == .inTenant ? "t1" : nil
            _ = try await bench.stores.users.change(id, at: bench.now) {
                $0.memberships.add(role: "r1", in: tenant)
            }
        }
        return (record, id)
    }

    private static func account(_ id: UserID, _ bench: Bench) async throws -> Account {
        try #require(try await bench.stores.users.account(id))
    }

    @Test(arguments: Engines.withValues)
    func `an account tells whether one of its roles acts as others now`(_ engine: any Engine) async throws {
        for holding in Holding.allCases {
            let bench = try await Bench(engine)
            let (_, id) = try await Self.holder(holding, may: ["pay", Self.right], bench)
            let name = try bench.identifier(Self.given)
            #expect(try await Self.account(id, bench).actsAsOthers, "\(holding)")
            #expect(try await bench.stores.users.account(name)?.actsAsOthers == true)
            try await bench.stores.roles.update(Self.role(holding, may: ["pay"], bench))
            #expect(try await !Self.account(id, bench).actsAsOthers)
            for permission in ["Impersonate", "users.impersonate"] {
                try await bench.stores.roles.update(Self.role(holding, may: [permission], bench))
                #expect(try await Self.account(id, bench).actsAsOthers, "\(permission)")
            }
            _ = try await bench.stores.users.change(id, at: bench.now) { $0.memberships = .none }
            #expect(try await !Self.account(id, bench).actsAsOthers)
        }
    }

    @Test(arguments: Engines.withValues)
    func `what it says of the user is in its resource, and not in the account, as long as the role acts`(
        _ engine: any Engine
    ) async throws {
        for holding in Holding.allCases {
            let bench = try await Bench(engine)
            let (record, id) = try await Self.holder(holding, may: [Self.right], bench)
            let given = try bench.identifier(Self.given)
            let before = try await Self.account(id, bench)
            try await Self.say(Self.next, of: record, bench)
            let after = try await Self.account(id, bench)
            #expect(after.identifiers == [given: .verified] && after.email == before.email, "\(holding)")
            let shown = try #require(try await bench.stores.provisioned.resource(record.id, .user, in: "t1"))
            #expect(shown.attributes["userName"] == .string(Self.next))
        }
        // The control: the role has another permission.
        for holding in Holding.allCases {
            let bench = try await Bench(engine)
            let (record, id) = try await Self.holder(holding, may: ["pay"], bench)
            let next = try bench.identifier(Self.next)
            try await Self.say(Self.next, of: record, bench)
            #expect(try await Self.account(id, bench).identifiers == [next: .verified], "\(holding)")
        }
    }

    @Test(arguments: Engines.withValues)
    func `it takes the membership, and neither disables the account nor removes it`(_ engine: any Engine)
        async throws
    {
        for isActing in [true, false] {
            for isDeleted in [true, false] {
                let bench = try await Bench(engine)
                let (record, id) = try await Self.holder(.inTenant, may: [isActing ? Self.right : "pay"], bench)
                if isDeleted {
                    let removed = try await bench.stores.provisionedUsers.deleteUser(
                        record.id, in: "t1", version: nil, connections: [], provenDomains: Self.proven, at: bench.now)
                    #expect(removed == .deleted(account: id, isAccountRemoved: !isActing))
                } else {
                    try await Self.say(Self.given, isActive: false, of: record, bench)
                }
                let left = try await bench.stores.users.account(id)
                #expect((left?.user.status == .active) == isActing, "\(isDeleted)")
                #expect(left?.memberships.tenants.isEmpty != false)
            }
        }
    }

    @Test(arguments: Engines.withValues)
    func `whom it made inactive it lets in, also where the tenant's default role acts`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (record, id) = try await Self.holder(.byDefault, may: [Self.right], isActive: false, bench)
        #expect(try await Self.account(id, bench).user.status == .disabled)
        try await Self.say(Self.next, of: record, bench)
        let account = try await Self.account(id, bench)
        #expect(account.user.status == .active && account.memberships.tenants == ["t1": ["r1"]])
        #expect(account.identifiers == [try bench.identifier(Self.given): .verified], "who acts by now keeps the name")
    }
}
