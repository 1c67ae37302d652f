#if os(Linux)
    import Crypto
    import Foundation
    import Glibc
    import KeyturnBase
    import Testing

    @testable import Keyturn

    /// Each closure below runs in a process of its own, which is told all that it needs.
    @Suite("Several processes and one TPM", .serialized, .timeLimit(.minutes(5)))
    struct TPMProcessTests {
        /// Signs ten times with the key that lies below `path`, making it if need be.
        static func sign(_ path: String, _ name: String) async throws {
            let locations = SealedFileStore.Locations(stateRoot: path + "/state", configurationRoot: path + "/config")
            let store = SealedFileStore(locations, ambient: .live)
            let keys = TPMKeys(store: store, keys: .tpm(name), ambient: .live)
            let key = try await keys.makeKey("a")
            for number in 0..<10 {
                guard try await TPMKeysTests.isValid(TPMKeysTests.found(await keys.key("a")), by: key.publicKey) else {
                    throw AuthError(.storeUnavailable, "signature \(number)")
                }
            }
        }

        @Test(.enabled(if: RealTPM.isInstalled))
        func `eight at once share a key of a TPM that has room for three, without a resource manager`() async throws {
            let (chip, directory) = (try await RealTPM(), try TemporaryDirectory())
            let (path, name) = (directory.path, chip.name)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        await #expect(processExitsWith: .success) { [path = path as String, name = name as String] in
                            try await TPMProcessTests.sign(path, name)
                        }
                    }
                }
            }
            #expect(chip.name == name)
        }

        @Test(.enabled(if: TPMManager.isInstalled, "no tpm2-abrmd"))
        func `eight at once share a key behind a resource manager`() async throws {
            let (manager, directory) = (try await TPMManager(), try TemporaryDirectory())
            let (path, bus) = (directory.path, manager.busAddress)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        await #expect(processExitsWith: .success) { [path = path as String, bus = bus as String] in
                            unsafe setenv("DBUS_SESSION_BUS_ADDRESS", bus, 1)
                            try await TPMProcessTests.sign(path, TPMManager.name)
                        }
                    }
                }
            }
            #expect(manager.busAddress == bus)
        }

        @Test(.enabled(if: TPMManager.isInstalled, "no tpm2-abrmd"))
        func `processes that are killed in between leave nothing behind a resource manager`() async throws {
            let (manager, directory) = (try await TPMManager(), try TemporaryDirectory())
            let (path, bus) = (directory.path, manager.busAddress)
            for _ in 0..<5 {
                await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, bus = bus as String] in
                    unsafe setenv("DBUS_SESSION_BUS_ADDRESS", bus, 1)
                    try await TPMProcessTests.sign(path, TPMManager.name)
                    // The connection is open, and a key is loaded.
                    kill(getpid(), SIGKILL)
                }
            }
            let last = await #expect(processExitsWith: .success) { [path = path as String, bus = bus as String] in
                // What the libraries say before they end a process.
                let said = unsafe open(path + "/said", O_WRONLY | O_CREAT, 0o600)
                dup2(said, STDERR_FILENO)
                unsafe setenv("DBUS_SESSION_BUS_ADDRESS", bus, 1)
                try await TPMProcessTests.sign(path, TPMManager.name)
            }
            if last == nil {
                let said = try? String(contentsOfFile: path + "/said", encoding: .utf8)
                Issue.record("it said: \(said ?? "nothing")")
            }
            #expect(manager.busAddress == bus)
        }
    }
#endif
