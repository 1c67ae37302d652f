import Foundation
import KeyturnBase
import Testing

@testable import Keyturn

@Suite("A sealed file that can never be read again, or that others may read")
struct LostKeyTests {
    let directory: TemporaryDirectory
    let store: SealedFileStore
    static let record = SealedFileStoreTests.record
    static let next = StoredRecord(generation: Generation(signIn: "next", number: 1), contents: [1])

    init() throws {
        directory = try TemporaryDirectory()
        store = SealedFileStore(directory.locations, ambient: .live)
    }

    private func problem(_ store: SealedFileStore? = nil) async -> AuthError? {
        guard case .unavailable(let error) = await (store ?? self.store).read("a") else { return nil }
        return error
    }

    @Test(arguments: [SealedFileStoreTests.key, "config/keyturn", "config"])
    func `a key that is gone is lost, and the error says where it was and what to do`(_ name: String) async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        try directory.remove(name)
        let error = await problem()
        #expect(error?.code == .storeKeyLost)
        #expect(error?.detail.contains(directory.path + "/" + SealedFileStoreTests.key) == true)
        #expect(error?.detail.contains("sign in again") == true)
        #expect(error?.detail.contains("keyturn logout --force") == true)
        _ = try await store.write(Self.next, for: "a", when: .always)
        #expect(await store.read("a").record == Self.next)
    }

    @Test func `a key on a volume that is not mounted is not lost`() async throws {
        let locations = SealedFileStore.Locations(
            stateRoot: directory.path + "/state", configurationRoot: directory.path + "/volume/config")
        let store = SealedFileStore(locations, ambient: .live)
        _ = try await store.write(Self.record, for: "a", when: .always)
        let (volume, away) = (directory.path + "/volume", directory.path + "/away")
        try FileManager.default.moveItem(atPath: volume, toPath: away)
        let error = await problem(store)
        #expect(error?.code == .storeUnavailable && error?.detail.contains(volume + "/config") == true)
        try FileManager.default.moveItem(atPath: away, toPath: volume)
        #expect(await store.read("a").record == Self.record)
    }

    struct Damage: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        var code = AuthError.Code.storeKeyLost
        var testDescription: String { "\(name), \(bytes.count) bytes" }
    }

    static let damages = [
        Damage(name: SealedFileStoreTests.key, bytes: [1, 2, 3]),
        Damage(name: SealedFileStoreTests.key, bytes: [UInt8](repeating: 1, count: 32)),
        Damage(name: SealedFileStoreTests.session, bytes: []),
        Damage(name: SealedFileStoreTests.session, bytes: Array("KTS1 and no more".utf8)),
        Damage(name: SealedFileStoreTests.session, bytes: [UInt8](repeating: 0, count: 2_000_000)),
        Damage(
            name: SealedFileStoreTests.session, bytes: Array("KTS2 of a later release".utf8), code: .storeUnavailable),
    ]

    @Test(arguments: damages)
    func `what is damaged is lost, what a later release wrote is not, and a sign-in replaces both`(
        _ damage: Damage
    ) async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        try directory.write(damage.name, damage.bytes)
        #expect(await problem()?.code == damage.code)
        #expect(await problem()?.isAboutStoredRecord == true)
        _ = try await store.write(Self.next, for: "a", when: .always)
        #expect(await store.read("a").record == Self.next)
    }

    @Test func `a write that may not replace everything makes no key for what another one sealed`() async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        try directory.remove(SealedFileStoreTests.key)
        for condition in [StoreCondition.absent, .generation(Self.record.generation)] {
            await #expect(throws: AuthError(.storeKeyLost, "")) {
                try await store.write(Self.next, for: "a", when: condition)
            }
            await #expect(throws: AuthError(.storeKeyLost, "")) { try await store.remove("a", when: condition) }
        }
        #expect(!directory.contents.contains(SealedFileStoreTests.key))
    }

    @Test(arguments: SealedFileStoreTests.exposures)
    func `what others may touch is named, stays for its user to mend, and gives way to a sign-in with its key`(
        _ exposure: SealedFileStoreTests.Exposure
    ) async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        let key = try directory.read(SealedFileStoreTests.key)
        try directory.setPermissions(exposure.mode, exposure.name)
        let error = await problem()
        #expect(error?.code == .storeUnavailable)
        #expect(error?.detail.contains("\(directory.path)/\(exposure.name): run chmod") == true)
        await (try #require(try await store.lock("a", timeoutSeconds: 0))).unlock()
        await #expect(throws: AuthError.self) {
            try await store.write(Self.next, for: "a", when: .generation(Self.record.generation))
        }
        #expect(try directory.permissions(exposure.name) == exposure.mode, "nothing is mended in silence")
        _ = try await store.write(Self.next, for: "a", when: .always)
        #expect(await store.read("a").record == Self.next)
        if exposure.name != SealedFileStoreTests.session {
            #expect(try directory.read(SealedFileStoreTests.key) != key)
            let mode = try #require(try directory.permissions(exposure.name))
            #expect(mode & 0o077 == 0)
        }
    }

    @Test(arguments: SealedFileStoreTests.exposures)
    func `a forced removal takes away what others may touch`(
        _ exposure: SealedFileStoreTests.Exposure
    ) async throws {
        _ = try await store.write(Self.record, for: "a", when: .always)
        try directory.setPermissions(exposure.mode, exposure.name)
        #expect(try await store.remove("a", when: .always) == .done)
        #expect(await store.read("a").isAbsent)
    }

    @Test func `a directory that cannot be used is named, with the system's reason`() async throws {
        try Data("x".utf8).write(to: URL(fileURLWithPath: directory.path + "/file"))
        let root = directory.path + "/file/state"
        let store = SealedFileStore(
            .init(stateRoot: root, configurationRoot: directory.path + "/config"), ambient: .live)
        let error = await #expect(throws: AuthError(.storeUnavailable, "")) {
            try await store.lock("a", timeoutSeconds: 0)
        }
        #expect(error?.detail.contains(root) == true && error?.detail.contains("errno \(ENOTDIR)") == true)
    }

    @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
    func `a home that may not be written is told as that`() async throws {
        try FileManager.default.createDirectory(
            atPath: directory.path + "/home", withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o500])
        let home = directory.path + "/home"
        let store = SealedFileStore(
            .init(stateRoot: home + "/.local/state", configurationRoot: home + "/.config"), ambient: .live)
        let error = await #expect(throws: AuthError(.storeUnavailable, "")) {
            try await store.lock("a", timeoutSeconds: 0)
        }
        #expect(error?.detail.contains("the directory \(home)/.local cannot be made: permission denied") == true)
        #expect(error?.detail.contains("errno \(EACCES)") == true)
    }
}

@Suite("A user whose session can never be read again")
struct LostSessionTests {
    let directory: TemporaryDirectory
    let world: World

    init() throws {
        directory = try TemporaryDirectory()
        world = try World()
    }

    private func container(_ name: String?, isBound: Bool = true) -> Keyturn {
        let service: Service =
            isBound
            ? .keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID)
            : .openID(issuer: FakeService.issuer, clientID: FakeService.clientID)
        return Keyturn(
            service, name: name, storage: .custom(SealedFileStore(directory.locations, ambient: .live)),
            browser: FakeBrowser(service: world.service), transport: world.service, ambient: world.clock.ambient)
    }

    private func signedIn(_ name: String?, isBound: Bool = true) async throws {
        await world.service.set { $0.metadata["dpop_signing_alg_values_supported"] = ["ES256"] }
        try await container(name, isBound: isBound).authorize(redirectURI: World.redirectURI)
    }

    @Test(arguments: [nil, "work"] as [String?])
    func `is told so, and signs in again, with a new device key`(_ name: String?) async throws {
        try await signedIn(name)
        try directory.remove("config")
        let auth = container(name)
        await #expect(throws: AuthError(.storeKeyLost, "")) { try await auth.start() }
        await #expect(throws: AuthError(.storeKeyLost, "")) { try await auth.accessToken() }
        await #expect(throws: AuthError(.storeKeyLost, "")) { try await auth.logout() }
        #expect(await auth.state == .unknown, "the user has not signed out")
        try await auth.authorizeIfNeeded(redirectURI: World.redirectURI)
        #expect(await auth.state == .signedIn(.fresh))
        let next = container(name)
        #expect(try await next.start() == .signedIn(.fresh))
        world.clock.advance(600)
        _ = try await next.accessToken()
    }

    @Test(arguments: [nil, "work"] as [String?])
    func `may sign out by force`(_ name: String?) async throws {
        try await signedIn(name)
        try directory.remove("config")
        try await container(name).logout(force: true)
        #expect(try await container(name).start() == .signedOut)
    }

    @Test func `whose session lay open mends that, or signs in again on purpose`() async throws {
        try await signedIn("work", isBound: false)
        try directory.setPermissions(0o755, "state/keyturn/work")
        let auth = container("work", isBound: false)
        await #expect(throws: AuthError(.storeUnavailable, "")) {
            try await auth.authorizeIfNeeded(redirectURI: World.redirectURI)
        }
        try await auth.authorize(redirectURI: World.redirectURI)
        #expect(try await container("work", isBound: false).start() == .signedIn(.fresh))
        #expect(try directory.permissions("state/keyturn/work") == 0o700)
    }

    @Test(arguments: [nil, "work"] as [String?])
    func `whose key alone was brought to a new machine signs in there`(_ name: String?) async throws {
        try await signedIn(name, isBound: false)
        try directory.remove("state")
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await container(name, isBound: false).start() }
        try await container(name, isBound: false).authorize(redirectURI: World.redirectURI)
        #expect(try await container(name, isBound: false).start() == .signedIn(.fresh))
    }

    @Test func `whose claim on an earlier release's session is lost keeps that session`() async throws {
        try await signedIn("default", isBound: false)
        #expect(try await container(nil, isBound: false).start() == .signedIn(.fresh))
        try directory.remove("config/keyturn/default=2fowner")
        #expect(try await container(nil, isBound: false).start() == .signedIn(.fresh))
    }
}
