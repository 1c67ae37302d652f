#if os(Linux)
    import Foundation
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite("A session that is bound to a key of the TPM", .enabled(if: RealTPM.isInstalled))
    struct TPMSessionTests {
        private let world: World
        private let chip: RealTPM

        init() async throws {
            world = try World()
            chip = try await RealTPM()
            await world.service.set { $0.metadata["dpop_signing_alg_values_supported"] = ["ES256"] }
        }

        private func container(_ keys: LinuxKeyPlace? = nil) -> Keyturn {
            Keyturn(
                .keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID, binding: .refreshToken),
                name: "default", storage: .custom(world.store),
                browser: FakeBrowser(service: world.service) { $0 },
                deviceKeys: TPMKeys(store: world.store, keys: keys ?? .tpm(chip.name), ambient: .live),
                transport: world.service, ambient: world.clock.ambient)
        }

        private var key: StoredRecord? {
            get async { await world.store.read("default/device-key").record }
        }

        @Test func `it is renewed with that key, after a restart too, and the key goes with the sign-out`() async throws
        {
            let auth = container()
            try await auth.authorize(redirectURI: World.redirectURI)
            let record = try #require(await key)
            #expect(TPMKeyRecord.isOne(record))
            try chip.restart()
            let after = container()
            try await after.forceRefresh()
            let proofs = await world.service.requests.filter { $0.url.hasSuffix("/token") }
                .map { $0.headers.contains { $0.name == "DPoP" } }
            #expect(proofs.count == 2 && proofs.allSatisfy(\.self))
            try await after.logout()
            #expect(await key == nil)
        }

        @Test func `it ends when the TPM was cleared, and says to sign in again, which works`() async throws {
            let auth = container()
            try await auth.authorize(redirectURI: World.redirectURI)
            try chip.clear()
            let ended = try await #require(throws: AuthError.self) { try await auth.forceRefresh() }
            #expect(ended.code == .sessionEnded && (ended.cause as? AuthError)?.code == .deviceKeyLost)
            #expect(await auth.state == .ended(.deviceKeyLost))
            await #expect(throws: AuthError(.signedOut, "")) { try await auth.accessToken() }
            try await auth.authorize(redirectURI: World.redirectURI)
            try await auth.forceRefresh()
        }

        @Test func `it stays while the TPM is away, and no key in software takes over`() async throws {
            let auth = container()
            try await auth.authorize(redirectURI: World.redirectURI)
            let record = await key
            chip.stop()
            for auth in [auth, container(), container(.automatic)] {
                await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.forceRefresh() }
                guard case .signedIn = await auth.state else { throw AuthError(.signedOut, "the session is gone") }
            }
            #expect(await key == record)
            try await auth.logout()
            #expect(await key == nil)
            #expect(await auth.state == .signedOut)
        }
    }

    @Suite("The device key at a sign-out")
    struct DeviceKeyReleaseTests {
        private let world: World

        init() async throws {
            world = try World()
            await world.service.set { $0.metadata["dpop_signing_alg_values_supported"] = ["ES256"] }
        }

        private func container() -> Keyturn {
            Keyturn(
                .keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID, binding: .refreshToken),
                name: "default", storage: .custom(world.store),
                browser: FakeBrowser(service: world.service) { $0 }, transport: world.service,
                ambient: world.clock.ambient)
        }

        private var hasKey: Bool {
            get async { await !world.store.read("default/device-key").isAbsent }
        }

        @Test(arguments: [true, false])
        func `it goes, and the next session has another`(_ isForced: Bool) async throws {
            let auth = container()
            try await auth.authorize(redirectURI: World.redirectURI)
            let first = await auth.keeper.machine.record?.keyThumbprint
            #expect(await hasKey)
            try await container().logout(force: isForced)
            #expect(await !hasKey)
            try await auth.authorize(redirectURI: World.redirectURI)
            let second = await auth.keeper.machine.record?.keyThumbprint
            #expect(first != nil && second != nil && first != second)
            try await auth.forceRefresh()
        }

        @Test func `it stays when the server cannot be told, and the session with it`() async throws {
            let auth = container()
            try await auth.authorize(redirectURI: World.redirectURI)
            await world.service.fail("/revoke", .unreachable)
            await #expect(throws: AuthError(.unavailable, "")) { try await auth.logout() }
            #expect(await hasKey)
            try await auth.forceRefresh()
        }

        @Test func `it stays for a sign-in that is under way`() async throws {
            let auth = container()
            try await auth.authorize(redirectURI: World.redirectURI)
            _ = try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
            try await auth.logout()
            #expect(await hasKey)
            world.clock.advance(601)
            try await auth.authorize(redirectURI: World.redirectURI)
            try await auth.logout()
            #expect(await !hasKey)
        }

        @Test func `it stays while a device polls, whose session is bound to it`() async throws {
            await world.service.set {
                $0.deviceAnswer["interval"] = 1
                $0.metadata["device_authorization_endpoint"] = .string(FakeService.issuer + "/device_authorization")
            }
            let auth = container()
            try await auth.authorize(redirectURI: World.redirectURI)
            try await auth.deviceSignIn { progress in
                if case .code = progress { try? await auth.logout() }
            }
            #expect(await hasKey)
            try await auth.forceRefresh()
            try await auth.logout()
            #expect(await !hasKey)
        }

        @Test func `it stays while a sign-in runs whose callback has come`() async throws {
            let auth = container()
            let url = try await auth.startAuthorization(SignInOptions(redirectURI: World.redirectURI))
            let callback = try await world.service.follow(url)
            let gate = Gate()
            await world.service.fail("/token", .held(gate))
            let signIn = Task { try await auth.finishAuthorization(callbackURL: callback) }
            await gate.someoneArrives()
            try await auth.logout(force: true)
            #expect(await hasKey)
            await gate.open()
            _ = await signIn.result
            try await auth.logout(force: true)
            #expect(await !hasKey)
        }

        @Test func `it stays if no user was signed in, for a sign-in elsewhere may need it`() async throws {
            _ = try await StoredDeviceKeys(world.store).makeKey("default")
            try await container().logout()
            #expect(await hasKey)
        }

        @Test func `it stays if the lock of the container cannot be had, or the store cannot be read`() async throws {
            let keys = StoredDeviceKeys(world.store)
            let release = DeviceKeyRelease(
                keys: keys, store: world.store, vaultStore: world.store, container: "default",
                pending: PendingSignIns(), ambient: world.clock.ambient)
            _ = try await keys.makeKey("default")
            await world.store.set(lockable: false)
            await release.run()
            await world.store.set(readable: false)
            await release.run()
            await world.store.set()
            #expect(await hasKey)
            await release.run()
            #expect(await !hasKey)
        }
    }
#endif
