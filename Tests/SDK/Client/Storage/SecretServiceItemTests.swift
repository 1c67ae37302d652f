#if os(Linux)
    import Foundation
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite(
        "The keyring's items", .serialized,
        .enabled(if: RealKeyring.isInstalled, "dbus-daemon, gnome-keyring-daemon or secret-tool is not installed"))
    struct SecretServiceItemTests {
        static func record(_ number: UInt64) -> StoredRecord { SecretServiceStoreTests.record(number) }

        @Test func `other programs find the item, and its value has the generation`() async throws {
            let keyring = try await RealKeyring()
            _ = try await keyring.store().write(Self.record(7), for: "a", when: .always)
            let value = try keyring.lookUp("a").split(separator: ".")
            #expect(value[0] == "keyturn1")
            #expect(value[1] == "7")
            #expect(Base64URL.decode(value[3]) == Array("very secret".utf8))
            let attributes = try keyring.service { try $0.attributes(of: keyring.items("a")[0]) }
            #expect(attributes["generation"] == "7." + Base64URL.encode(Array("sign-in".utf8)))
        }

        @Test func `what an interrupted writer left does no harm, and goes when nobody can be at it`() async throws {
            let keyring = try await RealKeyring()
            let clock = VirtualClock()
            let store = keyring.store(clock.ambient)
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            let left = KeyringItem.attributes(
                "a", KeyringPointer(.live), Self.record(9).generation, at: clock.now)
            try keyring.put(left, KeyringItem.secret(Self.record(9), "a"))
            #expect(await store.read("a").record == Self.record(1))
            for (passed, count) in [(0, 2), (Limits.leftoverSeconds, 2), (1, 1)] as [(Int64, Int)] {
                clock.advance(passed)
                _ = try await store.write(Self.record(2), for: "a", when: .always)
                #expect(try keyring.items("a").count == count, "after \(passed) more seconds")
            }
            #expect(await store.read("a").record == Self.record(2))
        }

        @Test func `a clock that jumps takes nothing away`() async throws {
            let keyring = try await RealKeyring()
            let clock = VirtualClock()
            let jumping = Ambient(
                clock: {
                    clock.advance(Limits.leftoverSeconds + 1)
                    return clock.now
                }, entropy: { Ambient.live.randomBytes($0) })
            let store = keyring.store(jumping)
            for number in 1...2 { _ = try await store.write(Self.record(UInt64(number)), for: "a", when: .always) }
            #expect(await store.read("a").record == Self.record(2))
        }

        @Test func `an item that somebody deleted is unavailable until the next sign-in`() async throws {
            let keyring = try await RealKeyring()
            let store = keyring.store()
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            _ = try keyring.run("secret-tool", ["clear", "xdg:schema", "dev.keyturn.Session", "container", "a"])
            #expect(await store.read("a").isUnavailable)
            // Whoever may not overwrite what they do not know is refused in the file's own way.
            #expect(try await store.write(Self.record(2), for: "a", when: .absent) == .overtaken)
            #expect(try await store.remove("a", when: .always) == .done)
            #expect(await store.read("a").isAbsent)
        }

        @Test func `a foreign item under the same name changes nothing, and is left alone`() async throws {
            let keyring = try await RealKeyring()
            let store = keyring.store()
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            _ = try keyring.run(
                "secret-tool",
                ["store", "--label=x", "xdg:schema", "dev.keyturn.Session", "container", "a", "mine", "1"],
                input: "value")
            #expect(await store.read("a").record == Self.record(1))
            _ = try await store.write(Self.record(2), for: "a", when: .always)
            #expect(await store.read("a").record == Self.record(2))
            #expect(try keyring.items("a").count == 2)
        }

        @Test func `a damaged value is unavailable`() async throws {
            let keyring = try await RealKeyring()
            let store = keyring.store()
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            let attributes = try keyring.service { try $0.attributes(of: try keyring.items("a")[0]) }
            let value = KeyringItem.secret(Self.record(1), "a")
            let other = KeyringItem.secret(Self.record(1), "b")
            let later = KeyringItem.secret(Self.record(2), "a")
            var bad = [Array(value.dropLast()), [], [0xFF], other, later, Array("keyturn1.1.a.b.c".utf8)]
            for index in [0, 9, 11, 25, value.count - 1] {
                bad.append(value)
                bad[bad.count - 1][index] ^= 1
            }
            for secret in bad {
                try keyring.put(attributes, secret)
                #expect(await store.read("a").isUnavailable, "\(String(decoding: secret, as: UTF8.self))")
            }
            try keyring.put(attributes, value)
            #expect(await store.read("a").record == Self.record(1))
        }
    }
#endif
