import KeyturnBase
import KeyturnVerify
import KeyturnWire

@testable import Keyturn

/// One device with a vault: a service with its key service, a clock, a store, a finger.
struct VaultWorld: Sendable {
    let world: World
    let keys: FakeKeyService
    let device = TouchDevice()
    let service: Service

    var clock: VirtualClock { world.clock }
    var store: FragileStore { world.store }
    var provider: FakeService { world.service }

    /// - Parameter isOurs: Whether the key service knows more than Trifork's.
    init(isOurs: Bool = true, service: Service? = nil) throws {
        world = try World()
        keys = FakeKeyService(isOurs: isOurs)
        self.service =
            service ?? .keyturn(issuer: FakeService.issuer, clientID: FakeService.clientID, binding: .none)
    }

    /// The same device, with Trifork's service.
    static func tim(_ parameters: [String: String] = [:]) throws -> VaultWorld {
        try VaultWorld(
            isOurs: false,
            service: .tim(
                issuer: FakeService.issuer, keyServiceURL: "https://keys.example.com/auth/realms/r",
                clientID: FakeService.clientID, additionalParameters: parameters))
    }

    func container(
        _ name: String = "default", storage: SessionStorage? = nil, vaultStorage: SessionStorage? = nil,
        bend: @escaping @Sendable (String) throws -> String = { $0 }
    ) -> Keyturn {
        Keyturn(
            service, name: name, storage: storage ?? .custom(store), vaultStorage: vaultStorage,
            browser: FakeBrowser(service: provider, bend: bend), biometricDevice: device,
            transport: VaultNetwork(service: provider, keys: keys), ambient: clock.ambient)
    }

    /// Signs `user` in and stores the session under `password`; the vault is unlocked then.
    @discardableResult
    func stored(
        _ user: String = "andy", password: String = "1234", in auth: Keyturn? = nil
    ) async throws -> Keyturn {
        let auth = auth ?? container()
        await provider.set { $0.subject = user }
        try await auth.authorize(redirectURI: World.redirectURI)
        try await auth.vault.store(newPassword: password)
        return auth
    }

    /// The same, locked again.
    @discardableResult
    func locked(_ user: String = "andy", password: String = "1234") async throws -> Keyturn {
        let auth = try await stored(user, password: password)
        try await auth.vault.lock()
        return auth
    }

    /// The user's record as it is stored.
    func record(_ user: String = "andy") async throws -> VaultRecord? {
        try await VaultRecords(store: store, container: "default", ambient: clock.ambient).find(user)?.record
    }
}

/// A device that recognises whoever touches it, as long as it is told so.
actor TouchDevice: BiometricDevice {
    private(set) var secrets: [String: [UInt8]] = [:]
    private(set) var prompts = 0
    var problem: AuthError.Code?
    var support: AuthError.Code?

    func set(_ change: @Sendable (isolated TouchDevice) -> Void) {
        change(self)
    }

    func checkSupport(_ policy: BiometricPolicy) throws(AuthError) {
        if let support { throw AuthError(support, "not here") }
    }

    func recognise(_ prompt: BiometricPrompt) throws(AuthError) {
        prompts += 1
        if let problem { throw AuthError(problem, "somebody else") }
    }

    func makeKey(_ name: String, _ prompt: BiometricPrompt) throws(AuthError) -> any BiometricKey {
        throw AuthError(.biometricUnsupported, "secrets alone")
    }

    func key(_ name: String) throws(AuthError) -> (any BiometricKey)? { nil }

    func removeKey(_ name: String) throws(AuthError) {}

    func keepSecret(_ secret: [UInt8], _ name: String, _ policy: BiometricPolicy) throws(AuthError) {
        try checkSupport(policy)
        secrets[name] = secret
    }

    func hasSecret(_ name: String) throws(AuthError) -> Bool { secrets[name] != nil }

    func secret(_ name: String, _ prompt: BiometricPrompt) throws(AuthError) -> [UInt8]? {
        guard let secret = secrets[name] else { return nil }
        try recognise(prompt)
        return secret
    }

    func removeSecret(_ name: String) throws(AuthError) {
        secrets[name] = nil
    }
}

extension AuthError {
    /// An error to compare with: codes are compared.
    static func code(_ code: Code) -> AuthError { AuthError(code, "") }
}
