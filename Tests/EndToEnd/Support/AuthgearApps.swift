import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import Synchronization

@testable import Keyturn

/// A server whose client has the profile of Authgear's apps, and a device on which such an app runs.
struct AuthgearApps {
    static let callback = "http://127.0.0.1:49152/callback"
    static let prompt = BiometricPrompt(reason: "to sign in")
    static let page = "https://shop.example/cart"
    private static let pageScopes = [AuthgearNames.deviceSSO, AuthgearNames.preAuthenticatedURL]

    let server: TestServer
    let store = MemoryStore()
    let sensor = SoftwareBiometrics()
    let network: Network

    /// - Parameter scopes: of the client, beside those of the profile.
    static func start(scopes: [String] = pageScopes) async throws -> AuthgearApps {
        let server = try await TestServer.start(clients: [
            client("harbour", scopes),
            client("shop", [], redirectURI: "https://shop.example/back") {
                $0.grantTypes = ["authorization_code", "refresh_token", GrantType.appToApp.rawValue]
            },
            TestClients.make("bank", method: "none", secret: nil, firstParty: true, native: true) {
                $0.grantTypes = ["authorization_code", "refresh_token", GrantType.appToApp.rawValue]
            },
            TestClients.make("web", method: "none", secret: nil, firstParty: true) {
                $0.redirectURIs = ["https://shop.example/callback"]
                $0.grantTypes = ["authorization_code", "refresh_token", GrantType.tokenExchange.rawValue]
                $0.preAuthenticatedURIs = ["https://shop.example"]
            },
        ])
        server.clock.advance(11)
        return AuthgearApps(server: server, network: Network(server.clock))
    }

    private static func client(
        _ id: String, _ scopes: [String], redirectURI: String = "http://127.0.0.1/callback",
        _ configure: (inout ClientMetadata) -> Void = { _ in }
    ) -> Client {
        let client = TestClients.make(id, method: "none", secret: nil, firstParty: true, native: true) {
            $0.redirectURIs = [redirectURI]
            $0.scope = (ClientProfile.authgearScopes + scopes).joined(separator: " ")
            configure(&$0)
        }
        return Client(
            id: client.id, metadata: client.metadata, secretDigests: [], isFirstParty: true, profile: .authgear)
    }

    /// The app, started once more.
    func app(
        _ name: String? = nil, clientID: String = "harbour", opensPages: Bool = false, storage: SessionStorage? = nil,
        browser: (any BrowserAgent)? = nil
    ) -> Keyturn {
        let clock = server.clock
        return Keyturn(
            .authgear(
                clientID: clientID, endpoint: server.issuer + "/", isPreAuthenticatedURLEnabled: opensPages),
            name: name, storage: storage ?? .custom(store),
            browser: browser ?? PersonAtBrowser(browser: server.browser()),
            biometricDevice: sensor, transport: network,
            ambient: Ambient(
                clock: { clock.now }, uptime: { clock.now.rawValue }, entropy: { Ambient.live.randomBytes($0) }))
    }

    /// The app with a session.
    func signedIn(_ name: String? = nil, opensPages: Bool = false) async throws -> Keyturn {
        let auth = app(name, opensPages: opensPages)
        try await auth.authorize(redirectURI: Self.callback)
        return auth
    }

    /// The way to the server, which can be cut, with the grant types of what was sent.
    final class Network: HTTPTransport {
        private let inner: DatedTransport
        private let isCut = Mutex(false)
        private let grants = Mutex<[String]>([])

        init(_ clock: VirtualClock) { inner = DatedTransport(clock) }

        func cut(_ isCut: Bool) { self.isCut.withLock { $0 = isCut } }

        /// The grant types since the last look, without their prefix.
        func take() -> [String] {
            grants.withLock { grants in
                defer { grants = [] }
                return grants
            }
        }

        func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
            guard !isCut.withLock({ $0 }) else { throw AuthError(.unavailable, "there is no network") }
            let response = try await inner.send(request)
            // A request that is repeated with another nonce is one.
            if request.url.hasSuffix("/oauth2/token"),
                !String(decoding: response.body, as: UTF8.self).contains("use_dpop_nonce"),
                let form = try? FormParameters(parsing: String(decoding: request.body ?? [], as: UTF8.self))
            {
                let name = form.values("grant_type").first ?? ""
                grants.withLock { $0.append(String(name.split(separator: ":").last ?? "")) }
            }
            return response
        }
    }
}
