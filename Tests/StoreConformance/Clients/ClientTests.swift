import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Store: clients")
struct ClientTests {
    @Test(arguments: Engines.withValues)
    func `what is put comes back as it was, ordered by identifier, and is replaced whole`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let clients = bench.stores.clients
        for id in ["b", "a", "Z"] { try await clients.put(bench.client(id), at: bench.now) }
        #expect(try await clients.all(limit: 9).map(\.id) == ["Z", "a", "b"], "in the order of their bytes")
        #expect(try await clients.all(limit: 2).map(\.id) == ["Z", "a"])
        #expect(try await clients.contains("Z"))
        #expect(try await !clients.contains("z"))
        var metadata = ClientMetadata()
        metadata.clientName = "It's \"quoted\" — 日本"
        var changed = Client(
            id: "a", metadata: metadata, secretDigests: [bench.digest("one"), bench.digest("two")], isFirstParty: true,
            resources: ["https://api.example.com"], assertionAudiences: ["https://id.example.com"],
            assertionSeconds: 60,
            profile: .fapi2, strictAssertions: true, allowsPrivateLogoutAddress: true, isFromConfiguration: true)
        try await clients.put(changed, at: bench.now + 9)
        changed.createdAt = bench.now + 9
        #expect(try await clients.all(limit: 9)[1] == changed)
        #expect(try await clients.remove("a", at: bench.now + 9))
        try await clients.put(changed, at: bench.now + 10)
        #expect(try await clients.find("a")?.createdAt == bench.now + 10, "it is another client")
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred registrations as many count as there is room, and a change needs the token`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let clients = bench.stores.clients
        try await clients.put(bench.client("0 of the operator"), at: bench.now)
        let registered = try await bench.race { [now = bench.now] stores, number in
            try await stores.clients.register(
                bench.client("client \(number)", token: "token \(number)"), max: 7, at: now)
        }
        #expect(registered.count { $0 } == 7, "the operator's clients are not counted")
        let first = try #require(try await clients.all(limit: 10).last)
        #expect(first.registration?.registeredAt == bench.now && first.isUnverified)
        var metadata = ClientMetadata()
        metadata.clientName = "Changed"
        let claimed = Client(
            id: first.id, metadata: metadata, secretDigests: [], isFirstParty: true, registration: first.registration)
        #expect(
            try await bench.refusal { _ = try await clients.replace(claimed, at: bench.now) } == .forbidden,
            "44: what it is, it cannot say")
        let changed = Client(id: first.id, metadata: metadata, secretDigests: [], registration: first.registration)
        #expect(try await clients.replace(changed, at: bench.now))
        let read = try await clients.all(limit: 10).last
        #expect(read?.metadata.clientName == "Changed" && read?.isFirstParty == false)
        #expect(try await !clients.replace(bench.client(first.id, token: "another"), at: bench.now))
        #expect(try await clients.remove(first.id, at: bench.now))
        #expect(try await !clients.replace(changed, at: bench.now), "what is gone stays gone")
    }

    @Test(arguments: Engines.withValues)
    func `a client that replaces its metadata does not bring back the secret that an operator replaced`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let clients = bench.stores.clients
        let registered = bench.client("app", token: "token")
        #expect(try await clients.register(registered, max: 9, at: bench.now))
        let fresh = bench.digest("fresh")
        _ = try await clients.change("app", at: bench.now) { $0.secretDigests = [fresh] }
        #expect(try await clients.replace(registered, at: bench.now), "it was read before")
        #expect(try await clients.find("app")?.secretDigests == [fresh])
        var open = registered
        open.secretDigests = []
        #expect(try await clients.replace(open, at: bench.now))
        #expect(try await clients.find("app")?.secretDigests == [], "it may become public")
        #expect(try await clients.replace(registered, at: bench.now))
        #expect(try await clients.find("app")?.secretDigests == registered.secretDigests)
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred registrations of one identifier one counts`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let registered = try await bench.race { [now = bench.now] stores, number in
            try await stores.clients.register(bench.client("same", token: "token \(number)"), max: 1_000, at: now)
        }
        #expect(registered.count { $0 } == 1)
        #expect(try await bench.stores.clients.all(limit: 9).count == 1)
    }

    @Test(arguments: Engines.withValues)
    func `with a client its grants and consents go`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        for id in ["web", "other"] { try await bench.stores.clients.put(bench.client(id), at: bench.now) }
        let agreed = Consent(scope: Scope(names: ["openid"]), claims: ["name"], resources: ["https://api/"])
        try await bench.stores.consents.remember(
            agreed, redirectURI: "https://web/", of: andy.user.id, to: "web", at: bench.now)
        let grant = try await bench.openGrant(of: andy)
        let other = try await bench.openGrant(of: andy, client: "other")
        #expect(try await bench.stores.clients.remove("web", at: bench.now))
        #expect(try await !bench.stores.clients.remove("web", at: bench.now))
        #expect(try await !bench.isAlive(grant))
        #expect(try await bench.isAlive(other))
        #expect(try await bench.stores.consents.consent(of: andy.user.id, to: "web") == .none)
        let remembers = try await bench.stores.consents.includes(
            redirectURI: "https://web/", of: andy.user.id, to: "web")
        #expect(!remembers)
    }

    @Test(arguments: Engines.withValues)
    func `a client of the file, trusted with more than what others made, gets nothing that this one was given`(
        _ engine: any Engine
    ) async throws {
        for (isFirstParty, isFromConfiguration, goesOn) in [
            (false, true, true), (true, false, true), (true, true, false),
        ] {
            let bench = try await Bench(engine)
            let andy = try await bench.user()
            try await bench.stores.clients.put(bench.client("web"), at: bench.now)
            let agreed = Consent(scope: Scope(names: ["openid"]))
            try await bench.stores.consents.remember(
                agreed, redirectURI: "https://web/", of: andy.user.id, to: "web", at: bench.now)
            let grant = try await bench.openGrant(of: andy)
            let own = Client(
                id: "web", metadata: ClientMetadata(), secretDigests: [], isFirstParty: isFirstParty,
                isFromConfiguration: isFromConfiguration)
            try await bench.stores.clients.put(own, at: bench.now + 1)
            #expect(try await bench.isAlive(grant) == goesOn)
            #expect(try await (bench.stores.consents.consent(of: andy.user.id, to: "web") == agreed) == goesOn)
            #expect(try await bench.stores.clients.find("web")?.createdAt == (goesOn ? bench.now : bench.now + 1))
            let later = Client(
                id: "web", metadata: ClientMetadata(), secretDigests: [], isFirstParty: true, isFromConfiguration: true)
            try await bench.stores.clients.put(later, at: bench.now + 2)
            #expect(
                try await bench.isAlive(grant) == (goesOn && isFirstParty),
                "no more trust than before, or others' first")
        }
    }

    @Test(arguments: Engines.withValues)
    func `clients that registered themselves and were never used are removed, others stay`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (clients, andy, now) = (bench.stores.clients, try await bench.user(), bench.now)
        for id in ["unused 1", "unused 2", "granted", "agreed", "changed"] {
            #expect(try await clients.register(bench.client(id, token: id), max: 9, at: now))
        }
        try await clients.put(bench.client("operator's"), at: now)
        _ = try await bench.openGrant(of: andy, client: "granted")
        try await bench.stores.consents.remember(
            Consent(scope: Scope(names: ["openid"])), redirectURI: nil, of: andy.user.id, to: "agreed", at: now)
        #expect(try await clients.replace(bench.client("changed", token: "changed"), at: now + 10))
        #expect(try await clients.removeUnused(before: now - 1, limit: 9).isEmpty)
        let first = try await clients.removeUnused(before: now + 9, limit: 1)
        let rest = try await clients.removeUnused(before: now + 9, limit: 9)
        #expect(first.count == 1 && Set(first + rest) == ["unused 1", "unused 2"])
        #expect(try await clients.all(limit: 9).map(\.id) == ["agreed", "changed", "granted", "operator's"])
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred that add one identifier one succeeds, and it is found as it was added`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let added = try await bench.race { [now = bench.now] stores, number in
            try await stores.clients.add(bench.client("same", token: "token \(number)"), at: now)
        }
        #expect(added.count { $0 } == 1)
        let found = try #require(try await bench.stores.clients.find("same"))
        #expect(try await bench.stores.clients.all(limit: 9) == [found])
        #expect(try await bench.stores.clients.find("Same") == nil)
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred changes none is lost, and the rest of a client stays`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let clients = bench.stores.clients
        let client = Client(
            id: "web", metadata: ClientMetadata(), secretDigests: [bench.digest("one")], isFirstParty: true,
            resources: ["https://api.example.com"], profile: .tim)
        try await clients.put(client, at: bench.now)
        _ = try await bench.race { [now = bench.now] stores, number in
            try await stores.clients.change("web", at: now) { client in
                var metadata = client.metadata
                metadata.contacts = (metadata.contacts ?? []) + ["\(number)"]
                client.metadata = metadata
            }
        }
        let read = try #require(try await clients.find("web"))
        #expect(Set(read.metadata.contacts ?? []).count == 100)
        #expect(read.secretDigests == client.secretDigests && read.isFirstParty && read.profile == .tim)
        #expect(read.resources == client.resources)
        let rotated = try await clients.change("web", at: bench.now) { $0.secretDigests = [bench.digest("two")] }
        #expect(rotated.secretDigests == [bench.digest("two")])
        #expect(try await clients.find("web") == rotated)
        #expect(try await bench.refusal { _ = try await clients.change("none", at: bench.now) { _ in } } == .missing)
    }
}
