import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: a directory, and an account that its user has made their own")
struct FormerMemberTests {
    private enum Leaving: CaseIterable {
        case deactivated, takenOut
    }

    private static let proven: Set = ["a.example"]
    private static let (given, next) = ("kim@a.example", "next@a.example")

    private static func content(_ name: String, isActive: Bool = true) -> SCIMContent {
        SCIMContent(
            attributes: ["userName": .string(name)], nameKey: name, externalID: nil, isActive: isActive, values: [])
    }

    private static func profile(_ name: String, shown: String = "Kim") -> SCIMProfile {
        let email = name.contains("@") ? name : nil
        return SCIMProfile(claims: ["name": .string(shown)], email: email, isEmailProven: email != nil)
    }

    /// What the directory says of a user.
    private static func say(
        _ name: String, shown: String = "Kim", isActive: Bool = true, of record: SCIMRecord, _ bench: Bench
    ) async throws {
        let change = SCIMUserChange(content: content(name, isActive: isActive), profile: profile(name, shown: shown))
        _ = try await bench.stores.provisionedUsers.changeUser(
            record.id, in: "t1", connections: [], provenDomains: proven, at: bench.now
        ) { _ in .success(change) }
    }

    /// Whom the directory made, and who has nothing else yet.
    private static func fresh(_ bench: Bench) async throws -> (record: SCIMRecord, id: UserID) {
        try await bench.tenant("t1")
        let record = try await bench.provisioned("kim", in: "t1", content(given), profile(given))
        return (record, try #require(record.userID))
    }

    /// Who has proved a mailbox and set a password since.
    private static func settled(_ bench: Bench) async throws -> (record: SCIMRecord, id: UserID, own: Identifier) {
        let (record, id) = try await fresh(bench)
        let own = try bench.identifier("kim@home.example")
        _ = try await bench.stores.users.change(id, at: bench.now) { $0.identifiers[own] = .verified }
        try await bench.stores.passwords.set("$argon2id$x", of: id, at: bench.now)
        return (record, id, own)
    }

    private static func leave(_ leaving: Leaving, _ record: SCIMRecord, _ id: UserID, _ bench: Bench) async throws {
        switch leaving {
        case .deactivated: try await say(given, isActive: false, of: record, bench)
        case .takenOut:
            _ = try await bench.stores.users.change(id, at: bench.now) { $0.memberships.tenants = [:] }
        }
        #expect(try await Self.account(id, bench).memberships.tenants.isEmpty)
    }

    private static func removeGiven(_ id: UserID, _ bench: Bench) async throws {
        let name = try bench.identifier(given)
        _ = try await bench.stores.users.change(id, at: bench.now) { $0.identifiers[name] = nil }
    }

    private static func account(_ id: UserID, _ bench: Bench) async throws -> Account {
        try #require(try await bench.stores.users.account(id))
    }

    @Test(arguments: Engines.withValues)
    func `what it says of a former member is in its resource, and not in the account`(_ engine: any Engine)
        async throws
    {
        for (leaving, isGone) in Leaving.allCases.flatMap({ [($0, false), ($0, true)] }) {
            let bench = try await Bench(engine)
            let (record, id, _) = try await Self.settled(bench)
            try await Self.leave(leaving, record, id, bench)
            if isGone { try await Self.removeGiven(id, bench) }
            let before = try await Self.account(id, bench)
            try await Self.say(Self.next, shown: "Thief", isActive: leaving != .deactivated, of: record, bench)
            let after = try await Self.account(id, bench)
            #expect(after.identifiers == before.identifiers, "\(leaving), \(isGone)")
            #expect(after.user.claims == before.user.claims && after.user.status == .active)
            let shown = try #require(try await bench.stores.provisioned.resource(record.id, .user, in: "t1"))
            #expect(shown.attributes["userName"] == .string(Self.next))
        }
    }

    @Test(arguments: Engines.withValues)
    func `to whom an operator takes in again it gives an address in place of the given one alone`(_ engine: any Engine)
        async throws
    {
        for isGone in [false, true] {
            let bench = try await Bench(engine)
            let (record, id, own) = try await Self.settled(bench)
            let (given, next) = (try bench.identifier(Self.given), try bench.identifier(Self.next))
            var expected: [Identifier: Account.IdentifierState] = [own: .verified]
            try await Self.leave(.deactivated, record, id, bench)
            if isGone { try await Self.removeGiven(id, bench) }
            if !isGone { expected[given] = .verified }
            // By itself it calls the user a member again, and no more.
            for name in [Self.next, Self.given] {
                try await Self.say(name, shown: "Thief", of: record, bench)
                let called = try await Self.account(id, bench)
                #expect(called.identifiers == expected && called.user.claims["name"] != "Thief")
            }
            for tenants in [[:], ["t1": []]] as [[String: [String]]] {
                _ = try await bench.stores.users.change(id, at: bench.now) { $0.memberships.tenants = tenants }
            }
            try await Self.say(Self.next, shown: "Kim Lee", of: record, bench)
            let after = try await Self.account(id, bench)
            if !isGone { (expected[given], expected[next]) = (nil, .verified) }
            #expect(after.identifiers == expected)
            #expect(after.user.claims["name"] == "Kim Lee", "a member's name is the directory's")
        }
    }

    @Test(arguments: Engines.withValues)
    func `an account that nothing else holds follows it, also while its user is deactivated`(_ engine: any Engine)
        async throws
    {
        for isGone in [false, true] {
            let bench = try await Bench(engine)
            let (record, id) = try await Self.fresh(bench)
            let next = try bench.identifier(Self.next)
            try await Self.leave(.deactivated, record, id, bench)
            // The name is none for signing in, and an address comes again.
            if isGone { try await Self.say("kim", isActive: false, of: record, bench) }
            try await Self.say(Self.next, shown: "Kim Lee", isActive: false, of: record, bench)
            let after = try await Self.account(id, bench)
            #expect(after.identifiers == [next: .verified])
            #expect(after.user.claims["name"] == "Kim Lee" && after.user.status == .disabled)
            try await Self.say(Self.next, of: record, bench)
            #expect(try await Self.account(id, bench).user.status == .active)
        }
    }

    @Test(arguments: Engines.withValues)
    func `it ends nothing that a former member has opened`(_ engine: any Engine) async throws {
        let ways: [Leaving?] = [nil, .deactivated, .takenOut]
        for leaving in ways {
            let bench = try await Bench(engine)
            let (record, id, _) = try await Self.settled(bench)
            if let leaving { try await Self.leave(leaving, record, id, bench) }
            let account = try await Self.account(id, bench)
            let session = try await bench.openSession(of: account)
            let grant = try await bench.vouchedGrant(of: account, session: session.id)
            let removed = try await bench.stores.provisionedUsers.deleteUser(
                record.id, in: "t1", version: nil, connections: [], provenDomains: Self.proven, at: bench.now)
            #expect(removed == .deleted(account: id, isAccountRemoved: false))
            #expect(try await bench.isAlive(session: "session") == (leaving != nil), "a member's it ends")
            #expect(try await bench.isAlive(grant) == (leaving != nil))
        }
    }

    @Test(arguments: Engines.withValues)
    func `it is noted that it gave another login ID, or took the one that it gave`(_ engine: any Engine) async throws {
        for name in [Self.next, "kim"] {
            let bench = try await Bench(engine)
            let (record, id) = try await Self.fresh(bench)
            #expect(try await Self.account(id, bench).user.othersAt == nil, "made, and not changed")
            try await Self.say(Self.given, shown: "Kim Lee", of: record, bench)
            #expect(try await Self.account(id, bench).user.othersAt == nil)
            try await Self.say(name, of: record, bench)
            #expect(try await Self.account(id, bench).user.othersAt == bench.now)
        }
    }

    @Test(arguments: Engines.withValues)
    func `an unused account with a contact that its user has proved gets no other address as login ID`(
        _ engine: any Engine
    ) async throws {
        for contact in [Self.given, "kim@home.example"] {
            let bench = try await Bench(engine)
            try await bench.tenant("t1")
            let record = try await bench.provisioned(
                "kim", in: "t1", Self.content(Self.given), bench.profile(Self.given))
            let id = try #require(record.userID)
            _ = try await bench.stores.users.change(id, at: bench.now) {
                $0.set(.email, contact, isVerified: true)
            }
            let joined = try await bench.stores.provisionedUsers.rejoin(
                record.id, in: "t1", Self.profile(Self.given), connections: [], at: bench.now)
            #expect(joined == (contact == Self.given ? id : nil))
            let names = try await Self.account(id, bench).identifiers
            #expect(names.keys.map(\.value) == (contact == Self.given ? [contact] : []))
        }
    }
}
