import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: texts that a database could misread")
struct TextTests {
    static let harmless = [
        "It's", #"say "hi""#, "a;b--c", "100 %_", #"back\slash"#, "Ünïcödé", "日本", "👩‍👩‍👧", "line\nbreak", "null", "$1",
        "?1",
    ]

    @Test(arguments: Engines.all, harmless)
    func `each comes back as it was, and is found as itself`(_ engine: any Engine, _ text: String) async throws {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        // A login ID in which something is not seen is given to nobody.
        let typed = Identifier(kind: .username, storedValue: text)
        let name = typed.flaw == nil ? typed : Identifier(kind: .username, storedValue: "andy")
        let user = User(
            id: .make(.live), claims: ["name": .string(text)], attributes: [text: .string(text)], createdAt: now,
            updatedAt: now)
        let account = Account(user: user, identifiers: [name: .verified], passwordHash: text)
        try await stores.users.create(account, authenticator: nil)
        #expect(try await stores.users.account(name) == account)
        var query = UserQuery()
        query.identifiers = [[name]]
        #expect(try await stores.users.count(query) == 1)
        query.attributes = [text: .string(text)]
        #expect(try await stores.users.search(query).count == 1)
        try await stores.audit.append([AuditEvent(.signedIn, at: now, address: text, reason: text, target: text)])
        var audit = AuditQuery()
        audit.text = text
        #expect(try await stores.audit.search(audit).map(\.target) == [text])
        #expect(try await stores.attempts.count([text], windowSeconds: 60, at: now).map(\.key) == [text])
        #expect(try await stores.rateLimits.spend([bench.charge(text, max: 1)], at: now) == nil)
        #expect(try await stores.rateLimits.spend([bench.charge(text, max: 1)], at: now) == now + 60)
        try await stores.tenants.create(Tenant(id: text, name: text, createdAt: now))
        #expect(try await stores.tenants.all(limit: 9).map(\.name) == [text])
    }

    @Test(arguments: Engines.all)
    func `a name with U+0000 is no other name, and is found nowhere`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        let andy = try bench.account("andy")
        try await stores.users.create(andy, authenticator: nil)
        try await stores.clients.put(bench.client("web"), at: now)
        for text in ["andy\u{0}", "andy\u{0}x", "\u{0}", "\u{0}andy"] {
            #expect(try await stores.users.account(Identifier(kind: .username, storedValue: text)) == nil)
            #expect(try await stores.users.account(UserID(rawValue: "\(andy.user.id.rawValue)\(text)")) == nil)
            #expect(try await !stores.revokedTokens.isRevoked(anyOf: [text]))
            #expect(try await stores.accessKeys.key(text) == nil)
            #expect(try await !stores.attempts.isKnown(text))
            #expect(try await !stores.clients.remove("web\(text)", at: now))
            #expect(try await stores.biometrics.key(text) == nil)
            #expect(try await stores.dataKeys.key(text, realm: "") == nil)
            #expect(try await stores.passkeys.passkeys(of: .exactID(text), at: "example.com").isEmpty)
            var query = UserQuery()
            query.identifiers = [[Identifier(kind: .username, storedValue: text)]]
            #expect(try await stores.users.search(query).isEmpty)
        }
        #expect(try await stores.clients.all(limit: 9).count == 1)
    }

    @Test(arguments: Engines.all)
    func `a name with U+0000 is not written as another name`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        for text in ["andy\u{0}", "andy\u{0}x"] {
            let account = Account(
                user: User(id: .make(.live), createdAt: now, updatedAt: now),
                identifiers: [Identifier(kind: .username, storedValue: text): .verified], passwordHash: nil)
            #expect(
                try await bench.refusal { try await stores.users.create(account, authenticator: nil) } == .conflict)
            let refusal = try await bench.refusal {
                try await stores.tenants.create(Tenant(id: text, name: "T", createdAt: now))
            }
            #expect(refusal == .conflict)
        }
        #expect(try await stores.users.account(Identifier(kind: .username, storedValue: "andy")) == nil)
        #expect(try await stores.tenants.all(limit: 9).isEmpty)
    }

    @Test(arguments: Engines.all)
    func `what strangers wrote is kept in the audit log in a form that can be read`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let event = AuditEvent(
            .signInFailed, at: bench.now, userID: UserID(rawValue: "a\u{0}b"), clientID: "c\u{0}", actor: "d\u{0}",
            target: "\u{0}e")
        try await bench.stores.audit.append([event])
        let read = try #require(try await bench.stores.audit.newest(limit: 1).first)
        #expect(read.userID?.rawValue == "a\u{2400}b" && read.clientID == "c\u{2400}")
        #expect(read.actor == "d\u{2400}" && read.target == "\u{2400}e")
    }
}
