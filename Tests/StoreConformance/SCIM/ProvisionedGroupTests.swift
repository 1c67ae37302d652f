import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: provisioned groups")
struct ProvisionedGroupTests {
    private func step(_ steps: SCIMGroupChange.Members...)
        -> @Sendable (SCIMRecord) -> Result<
            SCIMGroupChange, SCIMProblem
        >
    {
        { _ in .success(SCIMGroupChange(members: steps)) }
    }

    @Test("M-8: a role follows a mapped group at once, also when the user comes back", arguments: Engines.withValues)
    func roles(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        try await bench.tenant("t2")
        try await bench.role("admin", in: "t1")
        try await bench.role("foreign", in: "t2")
        let kim = try await bench.provisioned("kim", in: "t1")
        let groups = bench.stores.provisionedGroups
        let group = try await bench.group("admins", in: "t1", members: [kim.id])
        let other = try await bench.group("owners", in: "t1", members: [kim.id])
        #expect(try await bench.memberships(kim) == ["t1": []], "an unmapped group gives nothing")
        #expect(
            try await bench.refusal { try await groups.map(group.id, in: "t1", to: "foreign", at: bench.now) }
                == .missing)
        #expect(
            try await bench.refusal { try await groups.map(group.id, in: "t2", to: "foreign", at: bench.now) }
                == .missing)
        try await groups.map(group.id, in: "t1", to: "admin", at: bench.now)
        try await groups.map(other.id, in: "t1", to: "admin", at: bench.now)
        #expect(try await bench.memberships(kim) == ["t1": ["admin"]])
        _ = try await groups.changeGroup(group.id, in: "t1", at: bench.now, step(.remove([kim.id])))
        #expect(try await bench.memberships(kim) == ["t1": ["admin"]], "the other group gives it")
        let off = SCIMUserChange(content: bench.content("kim", isActive: false), profile: bench.profile())
        let on = SCIMUserChange(content: bench.content("kim"), profile: bench.profile())
        let users = bench.stores.provisionedUsers
        _ = try await users.changeUser(kim.id, in: "t1", connections: [], at: bench.now) { _ in .success(off) }
        _ = try await users.changeUser(kim.id, in: "t1", connections: [], at: bench.now) { _ in .success(on) }
        #expect(try await bench.memberships(kim) == ["t1": ["admin"]])
        #expect(
            try await groups.deleteGroup(other.id, in: "t1", version: nil, at: bench.now)
                == .deleted(account: nil, isAccountRemoved: false))
        #expect(try await bench.memberships(kim) == ["t1": []])
        #expect(try await groups.deleteGroup(other.id, in: "t1", version: nil, at: bench.now) == .missing)
        #expect(try await groups.deleteGroup(group.id, in: "t1", version: 9, at: bench.now) == .changed)
    }

    @Test("M-7: a foreign or unknown member is refused, and nothing changes", arguments: Engines.withValues)
    func foreign(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        try await bench.tenant("t2")
        let own = try await bench.provisioned("own", in: "t1")
        let foreign = try await bench.provisioned("foreign", in: "t2")
        let groups = bench.stores.provisionedGroups
        let group = try await bench.group("g", in: "t1")
        for id in [foreign.id, "nobody", group.id] {
            for steps in [SCIMGroupChange.Members.add([own.id, id]), .replace([own.id, id])] {
                let outcome = try await groups.changeGroup(group.id, in: "t1", at: bench.now, step(steps))
                #expect(outcome == .failure(.unknownMember))
            }
            let made = try await groups.createGroup(
                "new", in: "t1", bench.content("new"), members: [id], at: bench.now)
            #expect(made == .failure(.unknownMember))
        }
        #expect(try await bench.members(of: group.id, in: "t1").isEmpty)
        #expect(try await bench.stores.provisioned.resource("new", .group, in: "t1") == nil)
        #expect(try await bench.stores.provisioned.resource(group.id, .group, in: "t1") == group)
    }

    @Test("M-12: of changes at once no member is lost", arguments: Engines.withValues)
    func parallel(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        for number in 0..<100 { try await bench.provisioned("u\(number)", in: "t1") }
        let group = try await bench.group("g", in: "t1")
        _ = try await bench.race { stores, number in
            let step = SCIMGroupChange(members: [.add(["t1/u\(number)"])])
            return try await stores.provisionedGroups.changeGroup(group.id, in: "t1", at: bench.now) { _ in
                .success(step)
            }
        }
        #expect(try await bench.members(of: group.id, in: "t1").count == 100)
        let record = try await bench.stores.provisioned.resource(group.id, .group, in: "t1")
        #expect(record?.version == 101)
    }

    @Test(
        "M-22: a group's name belongs to one group of the tenant; adding a member twice is no change",
        arguments: Engines.withValues)
    func names(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let kim = try await bench.provisioned("kim", in: "t1")
        let group = try await bench.group("g", in: "t1", members: [kim.id])
        let groups = bench.stores.provisionedGroups
        #expect(
            try await bench.refusal {
                _ = try await groups.createGroup("x", in: "t1", bench.content("g"), members: [], at: bench.now)
            } == .conflict)
        let same = try await groups.changeGroup(group.id, in: "t1", at: bench.now + 5, step(.add([kim.id])))
        #expect(try same.get() == group)
        let renamed = SCIMGroupChange(content: bench.content("h"), members: [.replace([])])
        let after = try await groups.changeGroup(group.id, in: "t1", at: bench.now + 5) { _ in .success(renamed) }.get()
        #expect(after.version == 2 && after.updatedAt == bench.now + 5)
        #expect(try await bench.members(of: group.id, in: "t1").isEmpty)
    }
}
