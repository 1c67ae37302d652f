import Foundation
import KeyturnBase
import Testing

@testable import Keyturn

@Suite("The sealed file")
struct SealedFileStoreTests {
    let directory: TemporaryDirectory
    let store: SealedFileStore
    static let record = StoredRecord(
        generation: Generation(signIn: "sign-in", number: 7), contents: Array("very secret".utf8))
    static let session = "state/keyturn/a/session.1"
    static let key = "config/keyturn/a/key"
    static let canary = "state/keyturn/a/canary"

    init() throws {
        directory = try TemporaryDirectory()
        store = SealedFileStore(directory.locations, ambient: .live)
    }

    @Test func `files and directories are for their owner alone`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        await (try #require(try await store.lock("a", timeoutSeconds: 1))).unlock()
        for name in directory.contents {
            let isFile = ["session.1", "key", "canary", "lock"].contains { name.hasSuffix("/" + $0) }
            #expect(try directory.permissions(name) == (isFile ? 0o600 : 0o700), "\(name)")
        }
        #expect(directory.contents.contains(Self.session))
        #expect(directory.contents.contains(Self.key))
    }

    @Test func `nothing of the contents can be seen, and equal contents look different`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        let first = try directory.read(Self.session)
        #expect(!String(decoding: first, as: UTF8.self).contains("secret"))
        _ = try await store.write(Self.record, for: "a", when: .always)
        #expect(try directory.read("state/keyturn/a/session.2") != first)
        #expect(!directory.contents.contains(Self.session))
    }

    @Test func `each byte of the file counts`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        let sealed = try directory.read(Self.session)
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            try directory.write(Self.session, damaged)
            #expect(await store.read("a").isUnavailable, "byte \(index)")
        }
        for count in [0, 1, 4, 12, sealed.count - 1] {
            try directory.write(Self.session, Array(sealed.prefix(count)))
            #expect(await store.read("a").isUnavailable, "\(count) bytes")
        }
        try directory.write(Self.session, sealed)
        #expect(await store.read("a").record == Self.record)
    }

    @Test func `a file moved under another name does not open`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        _ = try await store.write(Self.record, for: "b", when: .always)
        try directory.write("state/keyturn/b/session.1", try directory.read(Self.session))
        try directory.write("config/keyturn/b/key", try directory.read(Self.key))
        #expect(await store.read("b").isUnavailable)
    }

    struct Exposure: Sendable, CustomTestStringConvertible {
        let name: String
        let mode: Int
        var testDescription: String { "\(name) \(String(mode, radix: 8))" }
    }

    static let exposures = [
        Exposure(name: session, mode: 0o640), Exposure(name: session, mode: 0o602), Exposure(name: key, mode: 0o604),
        Exposure(name: "state/keyturn/a", mode: 0o750), Exposure(name: "state/keyturn", mode: 0o720),
        Exposure(name: "config/keyturn/a", mode: 0o770),
    ]

    @Test(arguments: exposures)
    func `what others may touch is refused`(_ exposure: Exposure) async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        try directory.setPermissions(exposure.mode, exposure.name)
        #expect(await store.read("a").isUnavailable)
        try directory.setPermissions(0o700, exposure.name)
        #expect(await store.read("a").record == Self.record)
    }

    @Test func `the directory of all containers may be listed`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        try directory.setPermissions(0o755, "config/keyturn")
        #expect(await store.read("a").record == Self.record)
    }

    @Test(arguments: [session, key, "state/keyturn/a", "config/keyturn"])
    func `links are not followed`(_ name: String) async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        let moved = directory.path + "/moved"
        try FileManager.default.moveItem(atPath: directory.path + "/" + name, toPath: moved)
        try FileManager.default.createSymbolicLink(atPath: directory.path + "/" + name, withDestinationPath: moved)
        #expect(await store.read("a").isUnavailable)
    }

    @Test func `a link at the lock is not followed`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        let link = directory.path + "/state/keyturn/a/lock"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory.path + "/elsewhere")
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await store.lock("a", timeoutSeconds: 0) }
        #expect(!directory.contents.contains("elsewhere"))
    }

    @Test func `what a killed writer left behind does no harm and is cleared away`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        let leftover = directory.path + "/state/keyturn/a/new-abandoned"
        try Data("half".utf8).write(to: URL(fileURLWithPath: leftover))
        // A minute ago it might have been in the making.
        let anHourAgo = Date(timeIntervalSinceNow: -3_600)
        try FileManager.default.setAttributes([.modificationDate: anHourAgo], ofItemAtPath: leftover)
        #expect(await store.read("a").record == Self.record)
        _ = try await store.write(Self.record, for: "a", when: .always)
        #expect(!FileManager.default.fileExists(atPath: leftover))
        #expect(!directory.contents.contains { $0.contains("new-") })
    }

    @Test func `a signed-out store is empty, not unreadable`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        _ = try await store.remove("a", when: .always)
        #expect(await store.read("a").isAbsent)
    }

    @Test func `a missing key is not an empty store`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        try directory.remove(Self.key)
        #expect(await store.read("a").isUnavailable)
        try directory.remove(Self.session)
        #expect(await store.read("a").isUnavailable)
        // Signing in again, or signing out by force, gets out of it.
        _ = try await store.write(Self.record, for: "a", when: .always)
        #expect(await store.read("a").record == Self.record)
    }

    @Test func `a forced removal clears what cannot be read`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        try directory.write(Self.key, [1, 2, 3])
        #expect(await store.read("a").isUnavailable)
        _ = try await store.remove("a", when: .always)
        #expect(await store.read("a").isAbsent)
        _ = try await store.write(Self.record, for: "a", when: .always)
        #expect(await store.read("a").record == Self.record)
    }

    @Test func `a state directory that is not mounted is not an empty store`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        try FileManager.default.moveItem(atPath: directory.path + "/state", toPath: directory.path + "/unmounted")
        #expect(await store.read("a").isUnavailable)
        #expect(await store.read("never used").isAbsent)
    }

    @Test func `taking the lock does not make an empty store where one should be mounted`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        let (state, away) = (directory.path + "/state", directory.path + "/unmounted")
        try FileManager.default.moveItem(atPath: state, toPath: away)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await store.lock("a", timeoutSeconds: 0) }
        #expect(await store.read("a").isUnavailable)
        try FileManager.default.moveItem(atPath: away, toPath: state)
        #expect(await store.read("a").record == Self.record)
    }

    @Test func `a forced removal gets out of a store that is never mounted again`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        try directory.remove("state")
        #expect(try await store.remove("a", when: .always) == .done)
        _ = try await store.write(Self.record, for: "a", when: .always)
        #expect(await store.read("a").record == Self.record)
    }

    @Test func `a huge file is not read`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        try directory.write(Self.session, [UInt8](repeating: 0, count: 2_000_000))
        #expect(await store.read("a").isUnavailable)
    }

    struct Environment: Sendable, CustomTestStringConvertible {
        let name: String
        let variables: [String: String]
        let expected: SealedFileStore.Locations?
        var testDescription: String { name }
    }

    static let environments = [
        Environment(
            name: "home alone", variables: ["HOME": "/home/a"],
            expected: .init(stateRoot: "/home/a/.local/state", configurationRoot: "/home/a/.config")),
        Environment(
            name: "XDG", variables: ["XDG_STATE_HOME": "/s", "XDG_CONFIG_HOME": "/c"],
            expected: .init(stateRoot: "/s", configurationRoot: "/c")),
        Environment(
            name: "relative paths do not count", variables: ["HOME": "/h", "XDG_STATE_HOME": "s"],
            expected: .init(stateRoot: "/h/.local/state", configurationRoot: "/h/.config")),
        Environment(name: "nothing", variables: ["HOME": ""], expected: nil),
    ]

    @Test(arguments: environments)
    func `where the files lie`(_ environment: Environment) {
        #expect(SealedFileStore.Locations.from(environment.variables) == environment.expected)
    }

    @Test func `a whole life on disk`() async throws {
        let world = try World()
        let auth = world.container(storage: .custom(store))
        try await auth.authorize(redirectURI: World.redirectURI)
        world.clock.advance(600)
        let token = try await auth.accessToken()
        let other = world.container(storage: .custom(SealedFileStore(directory.locations, ambient: .live)))
        #expect(try await other.accessToken() == token)
        try await other.logout()
        world.clock.advance(1)
        await #expect(throws: AuthError(.signedOut, "")) { try await auth.accessToken() }
    }

    @Test func `memory alone leaves nothing on disk`() async throws {
        let home = directory.path
        let places = [home, SealedFileStore.Locations.environment()?.stateRoot ?? home]
        let name = "memory-" + Ambient.live.randomToken(byteCount: 9).lowercased()
        let world = try World()
        let auth = world.container(name, storage: .memory)
        try await auth.authorize(redirectURI: World.redirectURI)
        try await auth.forceRefresh()
        try await auth.logout(force: true)
        for place in places {
            let found = FileManager.default.subpaths(atPath: place + "/keyturn") ?? []
            #expect(!found.contains { $0.contains(ContainerFolder.name(for: name)) })
        }
        #expect(directory.contents.isEmpty)
    }
}
