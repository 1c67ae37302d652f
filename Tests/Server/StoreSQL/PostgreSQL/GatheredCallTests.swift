import Foundation
import KeyturnBase
import Model
import ServerTesting
import Synchronization
import Testing

@testable import StoreSQL

@Suite("PostgreSQL: refreshes of many callers in one statement")
struct GatheredCallTests {
    private func open(_ count: Int, _ sandbox: PostgreSQLSandbox, _ stores: Stores) async throws -> [Grant] {
        let user = try await sandbox.user(stores)
        let grants = (0..<count).map { _ in sandbox.grant(of: user) }
        for grant in grants {
            #expect(try await stores.grants.open(grant, epoch: 0, endingOthers: false, at: sandbox.now))
        }
        return grants
    }

    private func refresh(_ grant: Grant, _ counter: Int64, _ stores: Stores, at now: UnixTime) async throws -> Renewal {
        try await stores.grants.renew(
            grant.id, counter: counter, clientID: "web", keyThumbprint: nil, rotates: true, network: nil,
            idleSeconds: 500, at: now)
    }

    /// All at once; the answers in the order of the grants.
    private func refresh(_ grants: [Grant], _ counter: Int64, _ stores: Stores, at now: UnixTime) async throws
        -> [Renewal]
    {
        try await withThrowingTaskGroup(of: (Int, Renewal).self) { group in
            for (place, grant) in grants.enumerated() {
                group.addTask { (place, try await refresh(grant, counter, stores, at: now)) }
            }
            var answers = [Renewal?](repeating: nil, count: grants.count)
            for try await (place, renewal) in group { answers[place] = renewal }
            return answers.compactMap { $0 }
        }
    }

    @Test func `each caller gets its own grant, and many share a flight`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let flights = Atomic(0)
        let database = try sandbox.database(onFlight: { _ in flights.add(1, ordering: .relaxed) })
        let stores = database.stores()
        let grants = try await open(300, sandbox, stores)
        let before = flights.load(ordering: .relaxed)
        for counter in Int64(0)..<3 {
            let answers = try await refresh(grants, counter, stores, at: sandbox.now)
            for (grant, answer) in zip(grants, answers) {
                guard case .renewed(let renewed) = answer else {
                    Issue.record("\(answer)")
                    return
                }
                #expect(renewed.id == grant.id && renewed.counter == counter + 1)
            }
        }
        let flown = flights.load(ordering: .relaxed) - before
        #expect(flown < 300, "\(flown) flights for 900 refreshes")
        database.close()
    }

    @Test func `of two that come with one token, one is renewed and the other is a repetition`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database()
        let stores = database.stores()
        let grants = try await open(20, sandbox, stores)
        let answers = try await refresh(grants + grants, 0, stores, at: sandbox.now)
        let renewed = answers.count { if case .renewed = $0 { true } else { false } }
        let repeated = answers.count { if case .repeated(_, .prompt) = $0 { true } else { false } }
        #expect(renewed == 20 && repeated == 20)
        // Foreign, old and unknown ones among good ones are judged, each for itself.
        let strangers = try await withThrowingTaskGroup(of: Renewal.self) { group in
            for grant in grants.prefix(10) { group.addTask { try await refresh(grant, 1, stores, at: sandbox.now) } }
            group.addTask { try await refresh(sandbox.grant(of: grants[0].userID), 0, stores, at: sandbox.now) }
            group.addTask {
                try await stores.grants.renew(
                    grants[11].id, counter: 1, clientID: "other", keyThumbprint: nil, rotates: true, network: nil,
                    idleSeconds: 500, at: sandbox.now)
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(strangers.count { if case .renewed = $0 { true } else { false } } == 10)
        #expect(strangers.count { $0 == .unknown } == 2, "a grant is unknown to other clients")
        database.close()
    }

    @Test func `a grant that another transaction holds waits alone`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let database = try sandbox.database()
        let stores = database.stores()
        let grants = try await open(30, sandbox, stores)
        let other = try sandbox.connection()
        try other.begin(.guarded)
        _ = try other.run("UPDATE grant_ SET late_counter = late_counter WHERE id = ?", [Data(grants[0].id.bytes)])
        async let held = refresh(grants[0], 0, stores, at: sandbox.now)
        // Nobody who came with it, or after it, waits for the other transaction.
        for counter in Int64(0)..<3 {
            let answers = try await refresh(Array(grants.dropFirst()), counter, stores, at: sandbox.now)
            #expect(answers.allSatisfy { if case .renewed = $0 { true } else { false } })
        }
        try other.commit(marking: nil)
        guard case .renewed = try await held else {
            Issue.record("\(try await held)")
            return
        }
        database.close()
    }

    @Test func `if the answer of a run is lost, all its callers get the token that they would have got`() async throws {
        let sandbox = try PostgreSQLSandbox()
        let plain = try sandbox.database()
        let grants = try await open(40, sandbox, plain.stores())
        let proxy = try CuttingProxy(cutting: "UPDATE ", isWhole: false) { $0 % 3 == 1 }
        let database = try sandbox.database(through: proxy.folder)
        for counter in Int64(0)..<4 {
            let answers = try await refresh(grants, counter, database.stores(), at: sandbox.now)
            for answer in answers {
                switch answer {
                case .renewed(let grant), .repeated(let grant, .prompt): #expect(grant.counter == counter + 1)
                default: Issue.record("\(answer)")
                }
            }
        }
        #expect(proxy.cuts >= 2)
        for each in [plain, database] { each.close() }
    }
}
