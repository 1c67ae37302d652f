import KeyturnBase
import Testing

@testable import Keyturn

@Suite("Where a session lies")
struct SessionPlaceTests {
    let directory: TemporaryDirectory
    let store: SealedFileStore

    init() throws {
        directory = try TemporaryDirectory()
        store = SealedFileStore(directory.locations, ambient: .live)
    }

    private func place(_ name: String) async -> SessionPlace? {
        await SessionPlace.find(name, directory.locations)
    }

    private func folder(_ name: String) -> SessionPlace {
        .file(folder: "\(directory.locations.stateRoot)/keyturn/\(name)")
    }

    @Test(arguments: ["default", "work", "work/client-credentials"])
    func `a sealed file is named by its folder, as long as something is in it`(_ name: String) async throws {
        #expect(await place(name) == nil)
        _ = try await store.write(SealedFileStoreTests.record, for: name, when: .always)
        #expect(await place(name) == folder(ContainerFolder.name(for: name)))
        _ = try await store.remove(name, when: .always)
        #expect(await place(name) == nil)
    }

    @Test func `a session in the vault is found there`() async throws {
        _ = try await store.write(SealedFileStoreTests.record, for: "work/vault", when: .always)
        #expect(await place("work") == folder("work=2fvault"))
    }

    @Test func `what cannot be read is nowhere that can be said`() async throws {
        _ = try await store.write(SealedFileStoreTests.record, for: "work", when: .always)
        try directory.remove("config")
        #expect(await place("work") == nil)
    }

    #if os(Linux)
        @Test func `a file that points into the keyring says so`() async throws {
            let pointer = KeyringPointer(.live).record(SealedFileStoreTests.record.generation)
            _ = try await store.write(pointer, for: "work", when: .always)
            #expect(await place("work") == .keyring)
        }
    #endif
}
