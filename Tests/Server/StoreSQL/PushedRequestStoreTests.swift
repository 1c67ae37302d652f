import KeyturnBase
import KeyturnWire
import Model
import StoreSQL
import Testing

@Suite("Requests handed in beforehand, in SQLite")
struct PushedRequestStoreTests {
    private let now = UnixTime(rawValue: 1_800_000_000)

    private func request(_ name: String, _ clientID: String = "web") -> PushedRequest {
        PushedRequest(
            digest: SecretDigest(of: Secret(name)), clientID: clientID, parameters: "client_id=web&scope=openid",
            expiresAt: now + 300)
    }

    private func race(_ body: @escaping @Sendable () async throws -> Bool) async throws -> Int {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { try await body() } }
            var won = 0
            for try await result in group where result { won += 1 }
            return won
        }
    }

    @Test func `what was kept is found, whole, until it is used`() async throws {
        let stores = try SQLiteDatabase(path: nil).stores()
        let request = request("one")
        #expect(try await stores.pushedRequests.add(request, max: 10, at: now))
        #expect(try await stores.pushedRequests.find(request.digest) == request)
        let ticket = JourneyTicket.pushedRequest(digest: Base64URL.encode(request.digest.bytes))
        #expect(try await stores.pushedRequests.isUnused(ticket, of: "web"))
        #expect(try await !stores.pushedRequests.isUnused(ticket, of: "other"))
        #expect(try await !stores.pushedRequests.use(ticket, of: "other"))
        #expect(try await stores.pushedRequests.use(ticket, of: "web"))
        #expect(try await stores.pushedRequests.find(request.digest) == nil)
    }

    @Test func `35: of a hundred uses of a ticket one counts`() async throws {
        let stores = try SQLiteDatabase(path: nil).stores()
        let request = request("one")
        #expect(try await stores.pushedRequests.add(request, max: 10, at: now))
        let tickets: [JourneyTicket] = [
            .pushedRequest(digest: Base64URL.encode(request.digest.bytes)),
            .requestObject(jti: "jti:one", expiresAt: now + 60),
        ]
        for ticket in tickets {
            #expect(try await race { try await stores.pushedRequests.use(ticket, of: "web") } == 1)
            #expect(try await !stores.pushedRequests.isUnused(ticket, of: "web"))
        }
        let foreign = JourneyTicket.requestObject(jti: "jti:one", expiresAt: now + 60)
        #expect(try await stores.pushedRequests.use(foreign, of: "other"), "another client's names are its own")
    }

    @Test func `30: of a hundred grants for one pushed request one is written`() async throws {
        let stores = try SQLiteDatabase(path: nil).stores()
        let request = request("one")
        #expect(try await stores.pushedRequests.add(request, max: 10, at: now))
        let user = User(id: UserID.make(.live), claims: [:], createdAt: now, updatedAt: now)
        try await stores.users.create(Account(user: user, identifiers: [:], passwordHash: nil))
        let ticket = JourneyTicket.pushedRequest(digest: Base64URL.encode(request.digest.bytes))
        let now = now
        let won = try await race {
            let grant = Grant(
                id: .make(.live), clientID: "web", userID: user.id, sessionID: nil, scope: Scope(names: ["openid"]),
                resources: [], authentication: .password(at: now), nonce: nil, claimsRequest: nil,
                authorizationDetails: AuthorizationDetails(parsing: #"[{"type":"a","actions":["b"]}]"#),
                createdAt: now, idleExpiresAt: now + 60, absoluteExpiresAt: now + 1_000)
            let code = CodeConditions(
                digest: SecretDigest(of: Secret(grant.id.text)), redirectURI: nil, codeChallenge: nil,
                expiresAt: now + 60)
            let addition = try await stores.grants.add(grant, code: code, ticket: ticket)
            guard addition == .added else {
                #expect(addition == .ticketUsed)
                #expect(try await stores.grants.grant(ofCode: code.digest) == nil)
                return false
            }
            #expect(try await stores.grants.grant(ofCode: code.digest) == grant)
            return true
        }
        #expect(won == 1)
    }

    @Test func `so many may wait of each client, and no more`() async throws {
        let stores = try SQLiteDatabase(path: nil).stores()
        for index in 0..<3 {
            #expect(try await stores.pushedRequests.add(request("\(index)"), max: 3, at: now))
        }
        #expect(try await !stores.pushedRequests.add(request("four"), max: 3, at: now))
        #expect(try await stores.pushedRequests.add(request("five", "other"), max: 3, at: now))
        #expect(try await stores.pushedRequests.add(request("six"), max: 3, at: now + 300), "the others are too old")
    }

    @Test func `of a hundred registrations as many count as there is room, and a change needs the token`() async throws
    {
        let stores = try SQLiteDatabase(path: nil).stores()
        let now = now
        @Sendable func client(_ id: String, token: String) -> Client {
            Client(
                id: id, metadata: ClientMetadata(), secretDigests: [],
                registration: ClientRegistration(tokenDigest: SecretDigest(of: Secret(token)), registeredAt: now))
        }
        let won = try await race {
            let name = Ambient.live.randomToken(byteCount: 8)
            return try await stores.clients.register(client(name, token: name), max: 7, at: now)
        }
        #expect(won == 7)
        let first = try #require(try await stores.clients.all(limit: 10).first)
        #expect(first.registration?.registeredAt == now && first.isUnverified)
        var metadata = ClientMetadata()
        metadata.clientName = "Changed"
        let changed = Client(
            id: first.id, metadata: metadata, secretDigests: [], isFirstParty: true, registration: first.registration)
        #expect(try await stores.clients.replace(changed, at: now))
        let read = try await stores.clients.all(limit: 10).first
        #expect(read?.metadata.clientName == "Changed" && read?.isFirstParty == false, "44: what it is, it cannot say")
        #expect(try await !stores.clients.replace(client(first.id, token: "another"), at: now))
        #expect(try await stores.clients.remove(first.id, at: now))
        #expect(try await !stores.clients.replace(changed, at: now), "what is gone stays gone")
    }
}
