import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: roles and permissions")
struct RoleTests {
    private func role(
        _ id: String, _ name: String, tenant: String? = nil, may permissions: [String] = [], _ bench: Bench
    )
        -> Role
    {
        Role(
            id: id, tenantID: tenant, name: name, description: "D", permissions: permissions, isDefault: true,
            createdAt: bench.now)
    }

    @Test(arguments: Engines.withValues)
    func `roles come back as they were, ordered by name, and each name once in a tenant`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let roles = bench.stores.roles
        try await bench.stores.tenants.create(Tenant(id: "t", name: "T", createdAt: bench.now))
        let stored = [
            role("1", "writer", may: ["write", "read"], bench), role("2", "reader", bench),
            role("3", "writer", tenant: "t", bench),
        ]
        for role in stored { try await roles.create(role) }
        let listed = try await roles.roles(limit: 9)
        #expect(listed.map(\.name) == ["reader", "writer", "writer"] && Set(listed) == Set(stored))
        #expect(try await roles.roles(limit: 2) == Array(listed.prefix(2)))
        for tenant in [nil, "t"] {
            let twin = role("4", "writer", tenant: tenant, bench)
            #expect(try await bench.refusal { try await roles.create(twin) } == .conflict)
        }
        let homeless = role("4", "x", tenant: "nowhere", bench)
        #expect(try await bench.refusal { try await roles.create(homeless) } == .missing)
        var changed = stored[1]
        (changed.name, changed.permissions, changed.isDefault) = ("viewer", ["look"], false)
        try await roles.update(changed)
        #expect(try await roles.roles(limit: 9).first == changed)
        changed.name = "writer"
        let refusal = try await bench.refusal { [changed] in try await roles.update(changed) }
        #expect(refusal == .conflict)
        #expect(try await bench.refusal { try await roles.update(role("9", "x", bench)) } == .missing)
        #expect(try await roles.deleteRole("1"))
        #expect(try await !roles.deleteRole("1"))
        #expect(try await roles.roles(limit: 9).count == 2)
    }

    @Test(arguments: Engines.withValues)
    func `renaming a permission reaches every role, deleting it leaves none`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let roles = bench.stores.roles
        for name in ["write", "read"] { try await roles.create(Permission(name: name, description: "D")) }
        #expect(
            try await roles.permissions(limit: 9)
                == [Permission(name: "read", description: "D"), Permission(name: "write", description: "D")])
        #expect(try await roles.permissions(limit: 1).count == 1)
        #expect(try await bench.refusal { try await roles.create(Permission(name: "read")) } == .conflict)
        for id in ["1", "2"] { try await roles.create(role(id, "role \(id)", may: ["write", "read"], bench)) }
        try await roles.update(permission: "read", to: Permission(name: "look", description: "E"))
        #expect(try await roles.roles(limit: 9).map(\.permissions) == [["write", "look"], ["write", "look"]])
        #expect(try await roles.permissions(limit: 9).first == Permission(name: "look", description: "E"))
        let missing = try await bench.refusal { try await roles.update(permission: "read", to: Permission(name: "x")) }
        #expect(missing == .missing)
        let taken = try await bench.refusal {
            try await roles.update(permission: "look", to: Permission(name: "write"))
        }
        #expect(taken == .conflict)
        #expect(try await roles.roles(limit: 9).map(\.permissions) == [["write", "look"], ["write", "look"]])
        #expect(try await roles.deletePermission("look"))
        #expect(try await !roles.deletePermission("look"))
        #expect(try await roles.roles(limit: 9).map(\.permissions) == [["write"], ["write"]])
    }

    @Test(arguments: Engines.withValues)
    func `a permission is renamed while roles are made of it: no role names the old one`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let roles = bench.stores.roles
        for round in 0..<10 {
            try await roles.create(Permission(name: "p\(round)"))
            try await roles.create(role("\(round)", "role \(round)", may: ["p\(round)"], bench))
            let (first, second) = try await bench.both(
                { stores in
                    try await bench.refusal {
                        try await stores.roles.update(permission: "p\(round)", to: Permission(name: "q\(round)"))
                    }
                },
                { stores in
                    try await bench.refusal {
                        try await stores.roles.update(permission: "p\(round)", to: Permission(name: "r\(round)"))
                    }
                })
            #expect([first, second].count { $0 == nil } == 1 && [first, second].count { $0 == .missing } == 1)
            let name = first == nil ? "q\(round)" : "r\(round)"
            #expect(try await roles.roles(limit: 99).first { $0.id == "\(round)" }?.permissions == [name])
        }
    }
}
