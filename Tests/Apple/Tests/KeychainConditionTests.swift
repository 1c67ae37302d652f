import Foundation
import KeyturnBase
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("Changes to the keychain under a condition")
    struct KeychainConditionTests {
        let keychain = emptyKeychain()
        let store = KeychainStore()

        @Test func `happen only where it holds`() async throws {
            let other = KeychainStore()
            let (one, two) = (record(1), record(2))
            #expect(try await store.write(one, for: "a", when: .generation(one.generation)) == .overtaken)
            #expect(await other.read("a").isAbsent)
            #expect(try await store.remove("a", when: .generation(one.generation)) == .overtaken)
            #expect(try await store.remove("a", when: .absent) == .done)
            #expect(try await store.write(one, for: "a", when: .absent) == .done)
            #expect(try await other.write(two, for: "a", when: .absent) == .overtaken)
            #expect(try await other.remove("a", when: .absent) == .overtaken)
            #expect(try await other.write(two, for: "a", when: .generation(one.generation)) == .done)
            #expect(try await store.remove("a", when: .generation(one.generation)) == .overtaken)
            #expect(await store.read("a").record == two)
            #expect(try await store.remove("a", when: .generation(two.generation)) == .done)
            #expect(try await other.write(two, for: "a", when: .generation(two.generation)) == .overtaken)
            #expect(try await other.write(one, for: "a", when: .absent) == .done)
            #expect(try await store.write(two, for: "a", when: .always) == .done)
            #expect(await other.read("a").record == two)
        }

        @Test func `tell sign-ins apart, not only numbers`() async throws {
            try await store.write(record(1), for: "a")
            let stranger = Generation(signIn: "sign-im", number: 1)
            #expect(try await store.write(record(2), for: "a", when: .generation(stranger)) == .overtaken)
            #expect(try await store.remove("a", when: .generation(stranger)) == .overtaken)
            #expect(await store.read("a").record == record(1))
        }

        @Test func `are one step of the keychain, with the generation in the query`() async throws {
            try await store.write(record(1), for: "a")
            let expected = GenerationLabel.bytes(record(1).generation)
            keychain.forgetCalls()
            #expect(try await store.write(record(2), for: "a", when: .generation(record(1).generation)) == .done)
            #expect(keychain.calls == [.update])
            #expect(keychain.queries[0]["gena"] as? Data == Data(expected))
            keychain.forgetCalls()
            #expect(try await store.remove("a", when: .generation(record(2).generation)) == .done)
            #expect(keychain.calls == [.delete])
            keychain.forgetCalls()
            #expect(try await store.write(record(1), for: "a", when: .absent) == .done)
            #expect(keychain.calls == [.add])
        }

        /// Who is held up right before his step finds that others were first.
        @Test(arguments: [StandInKeychain.Call.update, .delete, .add])
        func `leave alone what somebody else wrote in the last moment`(_ call: StandInKeychain.Call) async throws {
            if call != .add { try await store.write(record(1), for: "a") }
            keychain.before { next in
                guard next == call else { return }
                StandInKeychain.shared.before(nil)
                let item = ["class": "genp", "svce": "keyturn", "acct": "a", "nleg": true] as [String: Any]
                let contents = [
                    "gena": Data(GenerationLabel.bytes(record(9).generation)), "v_Data": Data("theirs".utf8),
                    "pdmn": "cku",
                ]
                let status =
                    call == .add
                    ? SecItemAdd(item.merging(contents) { $1 } as NSDictionary, nil)
                    : SecItemUpdate(item as NSDictionary, contents as NSDictionary)
                #expect(status == 0)
            }
            let condition = StoreCondition.generation(record(1).generation)
            switch call {
            case .update: #expect(try await store.write(record(2), for: "a", when: condition) == .overtaken)
            case .delete: #expect(try await store.remove("a", when: condition) == .overtaken)
            default: #expect(try await store.write(record(2), for: "a", when: .absent) == .overtaken)
            }
            #expect(await store.read("a").record == record(9, "theirs"))
        }

        @Test(arguments: [false, true])
        func `of a hundred who replace the same record without a lock, one does`(wasThere: Bool) async throws {
            let stores = [store, KeychainStore()]
            if wasThere { try await store.write(record(1), for: "a") }
            let condition = wasThere ? StoreCondition.generation(record(1).generation) : .absent
            let winners = try await withThrowingTaskGroup(of: (Int, StoreOutcome).self) { group in
                for index in 0..<100 {
                    let store = stores[index % 2]
                    group.addTask {
                        (index, try await store.write(record(2, "by \(index)"), for: "a", when: condition))
                    }
                }
                return try await group.reduce(into: []) { if $1.1 == .done { $0.append($1.0) } }
            }
            #expect(winners.count == 1)
            #expect(await store.read("a").record == record(2, "by \(winners.first ?? -1)"))
            #expect(keychain.contents.filter { $0["acct"] as? String == "a" }.count == 1)
        }

        @Test func `of a hundred who remove the same record, one does`() async throws {
            try await store.write(record(1), for: "a")
            let condition = StoreCondition.generation(record(1).generation)
            let winners = try await withThrowingTaskGroup(of: StoreOutcome.self) { group in
                for _ in 0..<100 { group.addTask { try await store.remove("a", when: condition) } }
                return try await group.reduce(into: 0) { $0 += $1 == .done ? 1 : 0 }
            }
            #expect(winners == 1)
            #expect(await store.read("a").isAbsent)
        }

        static let conditions: [StoreCondition] = [.absent, .generation(record(1).generation), .always]

        @Test(arguments: conditions, [false, true])
        func `say neither done nor overtaken while the keychain is closed`(
            _ condition: StoreCondition, hides: Bool
        ) async throws {
            try await store.write(record(1), for: "a")
            #expect(await store.read("other").isAbsent)
            keychain.wasUnlocked = false
            keychain.hidesLockedItems = hides
            for name in ["a", "other"] {
                await #expect(throws: AuthError(.storeUnavailable, "")) {
                    _ = try await store.write(record(2), for: name, when: condition)
                }
            }
            keychain.wasUnlocked = true
            #expect(await store.read("a").record == record(1))
            #expect(await store.read("other").isAbsent)
        }

        @Test func `are tried again when the keychain had hidden the record for a moment`() async throws {
            try await store.write(record(1), for: "a")
            let condition = StoreCondition.generation(record(1).generation)
            keychain.fail(.update, -25_300)
            #expect(try await store.write(record(2), for: "a", when: condition) == .done)
            for _ in 0..<Limits.fileRetries { keychain.fail(.delete, -25_300) }
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await store.remove("a", when: .generation(record(2).generation))
            }
            #expect(await store.read("a").record == record(2))
        }

        @Test(arguments: [-25_308, -25_291, -34, -34_018] as [OSStatus])
        func `that fail leave the old session`(_ status: OSStatus) async throws {
            try await store.write(record(1), for: "a")
            let condition = StoreCondition.generation(record(1).generation)
            for call in [StandInKeychain.Call.update, .delete, .add] { keychain.fail(call, status) }
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await store.write(record(2), for: "a", when: condition)
            }
            await #expect(throws: AuthError(.storeUnavailable, "")) { _ = try await store.remove("a", when: condition) }
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await store.write(record(2), for: "a", when: .absent)
            }
            #expect(await store.read("a").record == record(1))
        }
    }
}
