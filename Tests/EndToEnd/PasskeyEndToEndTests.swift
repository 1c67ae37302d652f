import Keyturn
import KeyturnAuthenticator
import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnVerify
import KeyturnWebAuthn
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("End to end: passkeys, with our SDK at our server")
struct PasskeyEndToEndTests {
    /// A site with an app, a backend, and somebody's device.
    struct Site {
        let server: TestServer
        let device: SoftwarePasskeys
        let app: Keyturn
        let backend: PasskeyBackend

        init(_ server: TestServer, device: SoftwarePasskeys? = nil) throws {
            self.server = server
            let device = device ?? SoftwarePasskeys(SoftwareAuthenticator(seed: Array("device".utf8)))
            self.device = device
            app = Keyturn(
                .snapAuth(publishableKey: "pubkey_shop", host: server.address), storage: .memory,
                authenticator: device, transport: DatedTransport(server.clock), ambient: server.clock.ambient)
            backend = try PasskeyBackend(
                secretKey: "secret_shop-backend", host: server.address, transport: DatedTransport(server.clock),
                ambient: server.clock.ambient)
        }

        /// A user with a passkey.
        func register(_ id: String, username: String) async throws -> PasskeyCredential {
            let made = try await app.passkeys.startRegister(username: username)
            return try await backend.attachRegistration(made.token, userID: id, username: username)
        }

        static let party: RelyingParty = {
            guard
                let policy = try? WebAuthnPolicy(
                    rpID: "shop.example", rpName: "Shop", origins: ["https://shop.example"])
            else { preconditionFailure("a policy that can be met") }
            return RelyingParty(
                policy: policy, publishableKey: "pubkey_shop", secretKeys: [Secret("secret_shop-backend")])
        }()
    }

    @Test func `an app registers a passkey, its backend attaches it, and whoever signs in is known by it`() async throws
    {
        let server = try await TestServer.start(relyingParties: [Site.party])
        let site = try Site(server)
        let credential = try await site.register("42", username: "Ann@example.com")
        #expect(credential.isActive && credential.isUvInitialized)
        for user in [PasskeyUser.id("42"), .username("ann@EXAMPLE.com")] {
            let token = try await site.app.passkeys.startAuth(user).token
            let verified = try await site.backend.verifyAuthToken(token)
            #expect(verified.userID == "42")
            #expect(verified.credentialID == credential.id)
            #expect(verified.isUserVerified == true)
            let again = await #expect(throws: AuthError.self) { try await site.backend.verifyAuthToken(token) }
            #expect(again?.passkey?.errors.first?.code == .tokenNotFound)
        }
        let filled = try await site.app.passkeys.handleAutoFill()
        #expect(try await site.backend.verifyAuthToken(filled.token).userID == "42")
        #expect(await site.device.ceremonies.last?.mediation == "conditional")
        await server.stop()
    }

    @Test func `after a password, a passkey is made without disturbing anybody`() async throws {
        let server = try await TestServer.start(relyingParties: [Site.party])
        let site = try Site(server)
        await site.device.change { $0.behaviour.isUserPresent = false }
        let made = try await site.app.passkeys.upgrade(username: "ann@example.com")
        _ = try await site.backend.attachRegistration(made.token, userID: "42")
        let modal = await #expect(throws: AuthError.self) {
            try await site.app.passkeys.startRegister(username: "ann@example.com")
        }
        #expect(modal?.passkey?.errors.first?.code == .invalidInput, "nobody was there, and somebody had to be")
        await server.stop()
    }

    @Test func `a credential is renamed, switched off, on again, and deleted`() async throws {
        let server = try await TestServer.start(relyingParties: [Site.party])
        let site = try Site(server)
        let credential = try await site.register("42", username: "ann@example.com")
        try await site.backend.rename(credential: credential.id, to: "Blue key")
        #expect(try await site.backend.credentials(of: .id("42")).map(\.name) == ["Blue key"])
        try await site.backend.deactivate(credential: credential.id)
        let off = await #expect(throws: AuthError.self) { try await site.app.passkeys.startAuth(.id("42")) }
        #expect(off?.passkey?.errors.first?.code == .usingDeactivatedCredential || off?.code == .passkeyNotFound)
        try await site.backend.activate(credential: credential.id)
        _ = try await site.app.passkeys.startAuth(.id("42"))
        try await site.backend.delete(credential: credential.id)
        #expect(try await site.backend.credentials(of: .id("42")).isEmpty)
        await server.stop()
    }

    @Test func `registration tokens are no sign-in, nor the other way round, and each has its time`() async throws {
        let server = try await TestServer.start(relyingParties: [Site.party])
        let site = try Site(server)
        let made = try await site.app.passkeys.startRegister(username: "ann")
        let crossed = await #expect(throws: AuthError.self) { try await site.backend.verifyAuthToken(made.token) }
        #expect(crossed?.passkey?.errors.first?.code == .tokenNotFound)
        server.clock.advance(made.expiresAt.seconds(since: server.clock.now) + 1)
        let late = await #expect(throws: AuthError.self) {
            try await site.backend.attachRegistration(made.token, userID: "42")
        }
        #expect(late?.passkey?.errors.first?.code == .tokenExpired)
        await server.stop()
    }

    @Test func `an unknown name looks like a known one until the authenticator has nothing`() async throws {
        let server = try await TestServer.start(relyingParties: [Site.party])
        let site = try Site(server)
        let error = await #expect(throws: AuthError.self) {
            try await site.app.passkeys.startAuth(.username("nobody@example.com"))
        }
        #expect(error?.code == .passkeyNotFound)
        await server.stop()
    }

    @Test func `the same token a hundred times at once, one success`() async throws {
        let server = try await TestServer.start(relyingParties: [Site.party])
        let site = try Site(server)
        _ = try await site.register("42", username: "ann")
        let token = try await site.app.passkeys.startAuth(.id("42")).token
        let backend = site.backend
        let successes = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<100 { group.addTask { (try? await backend.verifyAuthToken(token)) != nil } }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(successes == 1)
        await server.stop()
    }

    // MARK: - Sessions

    private func ownParty() throws -> RelyingParty {
        RelyingParty(
            policy: try WebAuthnPolicy(
                rpID: "id.example", rpName: "Own", origins: ["https://id.example"]))
    }

    @Test func `a person signs up with a passkey, and later signs in with it, named or not`() async throws {
        let server = try await TestServer.start(relyingParties: [try ownParty()])
        let device = SoftwarePasskeys(SoftwareAuthenticator(seed: [7]))
        let auth = Keyturn(
            .keyturn(
                issuer: server.issuer, clientID: "tool", projectID: "test", passkeyOrigin: "https://id.example"),
            storage: .memory, authenticator: device, transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
        let first = try await auth.passkeys.signUp(
            loginId: "bea@example.com", details: SignUpDetails(name: "Bea", email: "bea@example.com"))
        #expect(first.isFirstAuthentication && first.user.authentication.passkey)
        #expect(await auth.state == .signedIn(.fresh))
        for name in ["bea@example.com", nil] {
            let again = try await auth.passkeys.signIn(loginId: name)
            #expect(again.user.userId == first.user.userId && !again.isFirstAuthentication)
        }
        #expect(try await auth.passkeys.signUpOrIn(loginId: "bea@example.com").user.userId == first.user.userId)
        let other = try await auth.passkeys.signUpOrIn(loginId: "carl@example.com")
        #expect(other.isFirstAuthentication)
        #expect(try await auth.profile.me().userId == other.user.userId)
        await server.stop()
    }

    @Test func `whoever signed in with a password adds a passkey, once for each device`() async throws {
        let server = try await TestServer.start(relyingParties: [try ownParty()])
        let device = SoftwarePasskeys(SoftwareAuthenticator(seed: [8]))
        let auth = Keyturn(
            .keyturn(
                issuer: server.issuer, clientID: "tool", projectID: "test", passkeyOrigin: "https://id.example"),
            storage: .memory, authenticator: device, transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
        let none = await #expect(throws: AuthError.self) {
            try await auth.passkeys.signIn(loginId: TestServer.username)
        }
        #expect(none?.code == .passkeyNotFound || none?.methodCode == MethodProblem.noPasskeys.code)
        _ = try await auth.password.signIn(loginId: TestServer.username, password: TestServer.password)
        try await auth.passkeys.add(loginId: TestServer.username)
        let weak = await #expect(throws: AuthError.self) { try await auth.passkeys.add(loginId: TestServer.username) }
        #expect(
            weak?.code == .interactionRequired, "the passkey that is there is to be shown before another one is added")
        let signedIn = try await auth.passkeys.signIn(loginId: TestServer.username)
        #expect(signedIn.user.userId == TestServer.subject.rawValue)
        let twice = await #expect(throws: AuthError.self) { try await auth.passkeys.add(loginId: TestServer.username) }
        #expect(twice?.code == .passkeyExcluded)
        await server.stop()
    }

    @Test func `96: a device at another site cannot sign in here`() async throws {
        let server = try await TestServer.start(relyingParties: [Site.party])
        let phished = SoftwarePasskeys(SoftwareAuthenticator(seed: [9]))
        let site = try Site(server, device: phished)
        _ = try await site.register("42", username: "ann")
        await phished.change { $0.behaviour.origin = "https://shop.example.evil.test" }
        let error = await #expect(throws: AuthError.self) { try await site.app.passkeys.startAuth(.id("42")) }
        #expect(error?.passkeyCode == .badRequest)
        await server.stop()
    }

    @Test func `an app and its backend hear what the server warns of`() async throws {
        let server = try await TestServer.start(relyingParties: [
            RelyingParty(
                policy: Site.party.policy, publishableKey: "pubkey_shop",
                secretKeys: [Secret("secret_shop-old"), Secret("secret_shop-new")])
        ])
        let app = Keyturn(
            .snapAuth(publishableKey: "pubkey_shop", host: server.address), storage: .memory,
            authenticator: SoftwarePasskeys(SoftwareAuthenticator(seed: Array("device".utf8))),
            transport: OutdatedTransport(inner: DatedTransport(server.clock)), ambient: server.clock.ambient)
        let made = try await app.passkeys.startRegister(username: "ann@example.com")
        #expect(made.warnings.map(\.code) == [.clientOutdated, .clientOutdated], "of the options and of the answer")
        for (key, codes) in [("secret_shop-old", [PasskeyErrorCode.secretKeyOutdated]), ("secret_shop-new", [])] {
            let heard = Locked<[PasskeyErrorCode]>([])
            let backend = try PasskeyBackend(
                secretKey: key, host: server.address, transport: DatedTransport(server.clock),
                ambient: server.clock.ambient
            ) { warning in heard.withLock { $0.append(warning.code) } }
            _ = try await backend.credentials(of: .id("42"))
            #expect(heard.withLock { $0 } == codes)
        }
        await server.stop()
    }

    /// Says that it is an old release of another client.
    private struct OutdatedTransport: HTTPTransport {
        let inner: DatedTransport

        func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
            var request = request
            request.headers.removeAll { $0.name == "X-SDK" }
            request.headers.append(("X-SDK", "js/0.2.0"))
            return try await inner.send(request)
        }
    }
}
