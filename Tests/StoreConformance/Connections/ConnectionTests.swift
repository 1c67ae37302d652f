import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: connections to providers, and sign-ins under way")
struct ConnectionTests {
    @Test(arguments: Engines.withValues)
    func `connections come back as they were, and go with their tenant`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let connections = bench.stores.connections
        try await bench.stores.tenants.create(Tenant(id: "t1", name: "T", createdAt: bench.now))
        let own = StoredConnection(id: "b", tenantID: nil, sealed: [1, 2])
        let theirs = StoredConnection(id: "a", tenantID: "t1", sealed: [3])
        #expect(try await connections.create(own, max: 2))
        #expect(try await connections.create(theirs, max: 2))
        #expect(try await connections.all(limit: 9) == [theirs, own])
        #expect(try await connections.all(limit: 1) == [theirs])
        #expect(try await bench.refusal { _ = try await connections.create(own, max: 9) } == .conflict)
        let lost = StoredConnection(id: "c", tenantID: "t2", sealed: [])
        #expect(try await bench.refusal { _ = try await connections.create(lost, max: 9) } == .missing)
        let third = StoredConnection(id: "d", tenantID: nil, sealed: [6])
        #expect(try await !connections.create(third, max: 2))
        #expect(try await connections.all(limit: 9) == [theirs, own])
        let changed = StoredConnection(id: "a", tenantID: "t1", sealed: [4])
        #expect(try await connections.replace(theirs, by: [4]))
        #expect(try await connections.all(limit: 1) == [changed])
        #expect(try await !connections.replace(theirs, by: [7]))
        #expect(try await connections.replace(changed, by: [7]))
        #expect(try await !connections.replace(StoredConnection(id: "a", tenantID: nil, sealed: [7]), by: [8]))
        #expect(try await connections.replace(StoredConnection(id: "a", tenantID: "t1", sealed: [7]), by: [4]))
        #expect(try await connections.delete("b", at: bench.now))
        #expect(try await !connections.delete("b", at: bench.now))
        #expect(try await bench.stores.tenants.delete("t1", at: bench.now))
        #expect(try await connections.all(limit: 9).isEmpty)
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred who replace a connection as they read it, one succeeds`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let connections = bench.stores.connections
        let read = StoredConnection(id: "a", tenantID: nil, sealed: [0])
        _ = try await connections.create(read, max: 1)
        let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in UInt8(1)...100 {
                group.addTask { try await connections.replace(read, by: [number]) }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(winners == 1)
    }

    @Test(arguments: Engines.withValues)
    func `F-17: a state is read while it lasts, and taken once`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let states = bench.stores.federation
        let digest = bench.digest("handle")
        try await states.keep([1, 2, 3], under: digest, until: bench.now + 600)
        #expect(
            try await bench.refusal { try await states.keep([4], under: digest, until: bench.now + 600) } == .conflict)
        #expect(try await states.peek(digest, at: bench.now + 599) == [1, 2, 3])
        #expect(try await states.peek(digest, at: bench.now + 600) == nil)
        #expect(try await states.take(digest, at: bench.now + 600) == nil)
        #expect(try await states.peek(bench.digest("other"), at: bench.now) == nil)
        let taken = try await bench.race { stores, _ in
            try await stores.federation.take(digest, at: bench.now)
        }
        #expect(taken.count { $0 == [1, 2, 3] } == 1 && taken.count { $0 == nil } == 99)
    }
}
