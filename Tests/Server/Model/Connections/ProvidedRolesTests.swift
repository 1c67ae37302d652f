import Model
import Testing

/// Pure: which roles a provider gives and takes.
@Suite("Roles by the word of a provider")
struct ProvidedRolesTests {
    private static func apply(
        held: [String], before: [String]?, mapped: Set<String> = ["a", "b"], wanted: Set<String>?,
        elsewhere: Set<String> = [], in tenant: String? = "t"
    ) -> (held: [String], given: [String]) {
        var memberships = tenant.map { Memberships(tenants: [$0: held]) } ?? Memberships(roles: held)
        let given = ProvidedRoles(tenantID: tenant, mapped: mapped, wanted: wanted)
            .apply(to: &memberships, before: before, elsewhere: elsewhere)
        return (memberships.roles(in: tenant).sorted(), given)
    }

    @Test(arguments: [nil, "t"])
    func `F-42: roles come and go with the groups, everywhere and in a tenant`(_ tenant: String?) {
        #expect(Self.apply(held: [], before: [], wanted: ["a"], in: tenant) == (["a"], ["a"]))
        #expect(Self.apply(held: ["a"], before: ["a"], wanted: ["a"], in: tenant) == (["a"], ["a"]))
        #expect(Self.apply(held: ["a"], before: ["a"], wanted: [], in: tenant) == ([], []))
        #expect(Self.apply(held: ["a"], before: ["a"], wanted: ["b"], in: tenant) == (["b"], ["b"]))
    }

    @Test func `a mapping that names another role, or none, takes the one that it gave`() {
        #expect(Self.apply(held: ["a"], before: ["a"], mapped: ["c"], wanted: ["c"]) == (["c"], ["c"]))
        #expect(Self.apply(held: ["a"], before: ["a"], mapped: ["c"], wanted: nil) == ([], []))
        #expect(Self.apply(held: ["a"], before: ["a"], mapped: [], wanted: []) == ([], []))
    }

    @Test func `groups that are unknown give and take nothing`() {
        #expect(Self.apply(held: ["a"], before: ["a"], wanted: nil) == (["a"], ["a"]))
        #expect(Self.apply(held: [], before: [], wanted: nil) == ([], []))
    }

    @Test func `what an operator gave stays, whether the groups give it as well or not`() {
        #expect(Self.apply(held: ["a", "z"], before: [], wanted: ["a"]) == (["a", "z"], []))
        #expect(Self.apply(held: ["a", "z"], before: [], wanted: []) == (["a", "z"], []))
    }

    @Test func `what another source gives stays until the last of them gives it no more`() {
        #expect(Self.apply(held: ["a"], before: ["a"], wanted: [], elsewhere: ["a"]) == (["a"], []))
        #expect(Self.apply(held: ["a"], before: [], wanted: ["a"], elsewhere: ["a"]) == (["a"], ["a"]))
    }

    @Test func `of identities from before this was recorded, mapped roles are the provider's`() {
        #expect(Self.apply(held: ["a", "z"], before: nil, wanted: []) == (["z"], []))
        #expect(Self.apply(held: ["a", "z"], before: nil, wanted: ["a"]) == (["a", "z"], ["a"]))
    }

    @Test func `no role is given to a user who is not in the tenant`() {
        var memberships = Memberships.none
        let given = ProvidedRoles(tenantID: "t", mapped: ["a"], wanted: ["a"])
            .apply(to: &memberships, before: [], elsewhere: [])
        #expect(given == [] && memberships == .none)
    }
}
