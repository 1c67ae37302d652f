import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: the names of a directory's user whom an operator disabled")
struct DisabledNamesTests {
    private static let addresses = ["work@a.example", "kim@a.example"]

    private static func content(
        _ name: String, external: String? = nil, emails: [String] = [], isActive: Bool = true
    ) -> SCIMContent {
        var attributes: [String: JSONValue] = ["userName": .string(name), "active": .bool(isActive)]
        if let external { attributes["externalId"] = .string(external) }
        if !emails.isEmpty { attributes["emails"] = .array(emails.map { .object(["value": .string($0)]) }) }
        let values = emails.enumerated().map { index, email in
            SCIMContent.Value("emails.value", element: index, email.lowercased())
        }
        return SCIMContent(
            attributes: attributes, nameKey: name.lowercased(), externalID: external, isActive: isActive,
            values: values)
    }

    /// A user with all kinds of names, whom an operator disabled.
    private static func disabled(_ bench: Bench) async throws -> SCIMRecord {
        let record = try await bench.provisioned(
            "kim", in: "t1", content("kim", external: "x1", emails: addresses))
        try await set(.disabled, of: record, bench)
        return record
    }

    private static func set(_ status: User.Status, of record: SCIMRecord, _ bench: Bench) async throws {
        let user = try #require(record.userID)
        _ = try await bench.stores.users.change(user, at: bench.now) { $0.user.status = status }
    }

    private static func match(
        _ bench: Bench, externalIDs: [String] = [], userNames: [String] = [], emails: [String] = []
    ) async throws -> ProvisionedMatch? {
        try await bench.stores.provisionedUsers.match(
            ProvisionedNames(externalIDs: externalIDs, userNames: userNames, emails: emails), in: "t1",
            connections: ["c"])
    }

    private static func change(_ record: SCIMRecord, to content: SCIMContent, _ bench: Bench) async throws
        -> Result<SCIMRecord, SCIMProblem>
    {
        let change = SCIMUserChange(content: content, profile: bench.profile())
        return try await bench.stores.provisionedUsers.changeUser(
            record.id, in: "t1", connections: [], at: bench.now
        ) { _ in .success(change) }
    }

    @Test(arguments: Engines.withValues)
    func `any of the names finds the disabled user before all others`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let bea = try await bench.provisioned("bea", in: "t1", Self.content("bea", external: "s1"))
        let kim = try await Self.disabled(bench)
        for match in [
            try await Self.match(bench, externalIDs: ["s1", "x1"]),
            try await Self.match(bench, externalIDs: ["s1"], userNames: ["kim"]),
            try await Self.match(bench, userNames: ["bea", "kim"]),
            try await Self.match(bench, externalIDs: ["s1"], userNames: ["bea"], emails: ["kim@a.example"]),
        ] {
            let found = try #require(match)
            #expect(found.account.user.id == kim.userID && found.isDisabledElsewhere)
        }
        let other = try #require(try await Self.match(bench, externalIDs: ["s1"], userNames: ["bea"]))
        #expect(other.account.user.id == bea.userID && !other.isDisabledElsewhere)
        try await Self.set(.expired, of: kim, bench)
        let expired = try #require(try await Self.match(bench, externalIDs: ["s1"], emails: ["work@a.example"]))
        #expect(expired.account.user.id == kim.userID && expired.isDisabledElsewhere)
        try await Self.set(.active, of: kim, bench)
        let first = try #require(try await Self.match(bench, externalIDs: ["s1"], userNames: ["kim"]))
        #expect(first.account.user.id == bea.userID && !first.isDisabledElsewhere)
    }

    @Test(arguments: Engines.withValues)
    func `a user whom the directory itself disabled does not come before others`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let bea = try await bench.provisioned("bea", in: "t1", Self.content("bea", external: "s1"))
        let eva = try await bench.provisioned("eva", in: "t1", Self.content("eva"))
        _ = try await Self.change(eva, to: Self.content("eva", isActive: false), bench).get()
        let user = try #require(eva.userID)
        #expect(try await bench.stores.users.account(user)?.user.status == .disabled)
        let found = try #require(try await Self.match(bench, externalIDs: ["s1"], userNames: ["eva"]))
        #expect(found.account.user.id == bea.userID && !found.isDisabledElsewhere)
    }

    @Test(arguments: Engines.withValues)
    func `no other resource of the tenant takes one of the names`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        for tenant in ["t1", "t2"] { try await bench.tenant(tenant) }
        let kim = try await Self.disabled(bench)
        let bea = try await bench.provisioned("bea", in: "t1", Self.content("bea"))
        for content in [
            Self.content("Kim"), Self.content("bea", external: "x1"), Self.content("kim@a.example"),
            Self.content("bea", emails: ["bea@a.example", "Kim@a.example"]), Self.content("bea", emails: ["kim"]),
        ] {
            var fresh = content
            if fresh.nameKey == "bea" { fresh.nameKey = "new" }
            let new = fresh
            #expect(
                try await bench.refusal { _ = try await bench.provisioned("new", in: "t1", new) } == .conflict)
            #expect(try await bench.refusal { _ = try await Self.change(bea, to: content, bench) } == .conflict)
        }
        #expect(try await bench.stores.provisioned.resource(bea.id, .user, in: "t1")?.version == bea.version)
        try await bench.provisioned("kim", in: "t2", Self.content("kim@a.example", external: "x1"))
        try await Self.set(.active, of: kim, bench)
        try await bench.provisioned("new", in: "t1", Self.content("kim@a.example"))
    }

    @Test(arguments: Engines.withValues)
    func `a resource that had one of the names before keeps it, and is changed as ever`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let shared = ["bea@a.example", "work@a.example"]
        let bea = try await bench.provisioned("bea", in: "t1", Self.content("bea", emails: shared))
        _ = try await Self.disabled(bench)
        let changed = try await Self.change(bea, to: Self.content("bea", external: "s1", emails: shared), bench).get()
        #expect(changed.version == bea.version + 1)
    }

    @Test(arguments: Engines.withValues)
    func `the directory changes none of the disabled user's names, the second address neither`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let kim = try await Self.disabled(bench)
        for content in [
            Self.content("other", external: "x1", emails: Self.addresses),
            Self.content("kim", external: "x2", emails: Self.addresses),
            Self.content("kim", emails: Self.addresses),
            Self.content("kim", external: "x1", emails: ["work@a.example"]),
            Self.content("kim", external: "x1", emails: ["work@a.example", "other@a.example"]),
        ] {
            #expect(try await Self.change(kim, to: content, bench) == .failure(.locked))
        }
        let reordered = Self.content("KIM", external: "x1", emails: Self.addresses.reversed(), isActive: false)
        #expect(try await Self.change(kim, to: reordered, bench).get().isActive == false)
        let found = try #require(try await Self.match(bench, emails: ["kim@a.example"]))
        #expect(found.account.user.id == kim.userID && found.isDisabledElsewhere && !found.isActive)
    }
}
