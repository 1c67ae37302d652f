import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Store: authorization requests handed in beforehand")
struct PushedRequestTests {
    private func request(_ name: String, of clientID: String = "web", _ bench: Bench) -> PushedRequest {
        PushedRequest(
            digest: bench.digest(name), clientID: clientID, parameters: "client_id=web&scope=openid",
            expiresAt: bench.now + 300)
    }

    private func ticket(_ name: String, _ bench: Bench) -> TransactionTicket {
        .pushedRequest(digest: Base64URL.encode(bench.digest(name).bytes))
    }

    @Test(arguments: Engines.withValues)
    func `what was kept is found, whole, until it is used`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (store, ticket) = (bench.stores.pushedRequests, ticket("one", bench))
        let request = request("one", bench)
        #expect(try await store.add(request, max: 10, at: bench.now))
        #expect(try await store.find(request.digest) == request)
        #expect(try await store.isUnused(ticket, of: "web"))
        #expect(try await !store.isUnused(ticket, of: "other"))
        #expect(try await !store.use(ticket, of: "other"))
        #expect(try await store.use(ticket, of: "web"))
        #expect(try await store.find(request.digest) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `35: of a hundred uses of a ticket one counts`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let store = bench.stores.pushedRequests
        #expect(try await store.add(request("one", bench), max: 10, at: bench.now))
        let object = TransactionTicket.requestObject(jti: "jti:one", expiresAt: bench.now + 60)
        for ticket in [ticket("one", bench), object] {
            let used = try await bench.race { stores, _ in try await stores.pushedRequests.use(ticket, of: "web") }
            #expect(used.count { $0 } == 1)
            #expect(try await !store.isUnused(ticket, of: "web"))
        }
        #expect(try await store.use(object, of: "other"), "another client's names are its own")
    }

    @Test(arguments: Engines.withValues)
    func `30: of a hundred grants for one pushed request one is written`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        #expect(try await bench.stores.pushedRequests.add(request("one", bench), max: 10, at: bench.now))
        let ticket = ticket("one", bench)
        let grants = (0..<100).map { _ in
            var grant = bench.grant(of: andy)
            grant.authorizationDetails = AuthorizationDetails(parsing: #"[{"type":"a","actions":["b"]}]"#)
            return grant
        }
        let additions = try await bench.race { stores, number in
            try await stores.grants.add(grants[number], code: bench.code("\(number)"), ticket: ticket)
        }
        #expect(additions.count { $0 == .added } == 1 && additions.count { $0 == .ticketUsed } == 99)
        var written: [Grant] = []
        for number in 0..<100 {
            if let grant = try await bench.stores.grants.grant(ofCode: bench.digest("\(number)")) {
                written.append(grant)
            }
        }
        #expect(written.count == 1 && grants.contains(written[0]))
    }

    @Test(arguments: Engines.withValues)
    func `so many may wait of each client, and no more`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (store, now) = (bench.stores.pushedRequests, bench.now)
        for index in 0..<3 { #expect(try await store.add(request("\(index)", bench), max: 3, at: now)) }
        #expect(try await !store.add(request("four", bench), max: 3, at: now))
        #expect(try await store.find(bench.digest("four")) == nil)
        #expect(try await store.add(request("five", of: "other", bench), max: 3, at: now))
        #expect(try await store.add(request("uncounted", bench), max: nil, at: now))
        #expect(try await store.add(request("six", bench), max: 3, at: now + 300), "the others are too old")
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred requests at once as many wait as may`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let requests = (0..<100).map { request("\($0)", bench) }
        let added = try await bench.race { [now = bench.now] stores, number in
            try await stores.pushedRequests.add(requests[number], max: 7, at: now)
        }
        #expect(added.count { $0 } == 7)
    }
}
