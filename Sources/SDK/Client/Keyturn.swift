public import KeyturnBase
public import KeyturnVerify

/// One signed-in person at one service: signs them in, keeps the session alive, never loses it, never leaks it.
///
/// ```swift
/// let auth = Keyturn(.keyturn(issuer: "https://id.example.com", clientID: "app"))
/// try await auth.start()
/// let result = try await auth.authorize(redirectURI: "http://127.0.0.1/callback", prompt: .login)
/// let token = try await auth.accessToken()
/// ```
///
/// Everything stored is scoped by ``name``. Without one, it belongs to this program, at this service, as this client:
/// two programs of one user share nothing. Containers of one name, in this process or another, share one session and
/// refresh it once for all. Safe to use from any task.
public final class Keyturn: Sendable {
    /// The backend.
    public let service: Service
    /// The container's name: as it was given, or made of the program, the service and the client.
    public let name: String

    let keeper: SessionKeeper
    let provider: OpenIDProvider
    let methods: MethodEndpoint?
    let pendingSignIns: PendingSignIns
    let runningFlow: RunningFlow
    let browser: any BrowserAgent
    let settingsBrowser: any BrowserAgent
    let authenticator: any PasskeyAuthenticator
    let passkeyEndpoint: PasskeyEndpoint?
    let passkeyCoordinator = CeremonyCoordinator()
    let biometricDevice: any BiometricDevice
    let biometricMemory: BiometricMemory
    let deviceKeys: any DeviceKeys
    let afterSignOut: @Sendable () async -> Void
    let deviceInfo: @Sendable () -> JSONValue
    let fetching: any HTTPTransport
    let ambient: Ambient
    let vaultAccess: VaultAccess
    /// `nil` where sessions are in the memory of each process: others may be bound to the same key.
    let keyRelease: DeviceKeyRelease?
    let managed = Locked<SessionManager?>(nil)
    private let notices = Locked<NoticeRegistration?>(nil)
    private let hub: ChangeHub
    private let cache: TokenCache

    /// Makes a container. Touches neither network nor disk.
    ///
    /// - Parameters:
    ///   - service: The backend.
    ///   - name: Scopes everything that is stored; any string. `nil`: made of the program (its bundle identifier, or
    ///     else the name of its executable file), the issuer and the client. Give names for several accounts at a time,
    ///     or to share a session with another program on purpose; ``authorize(_:)`` throws `configuration.invalid` if
    ///     the name holds the session of another client.
    ///   - storage: Where the session is kept.
    ///   - vaultStorage: Where the ``vault`` keeps its sessions and ``biometrics`` remember their key, if elsewhere;
    ///     `nil`: in `storage`. With ``SessionStorage/memory`` as `storage`, a lasting one here gives a session that
    ///     ends with the process, and a touch or a PIN that begins the next; without it, no key that outlives the
    ///     process is made, and enabling one throws `configuration.invalid`. Give the same one for the same name.
    ///   - browser: Shows the sign-in page; `nil`: what this platform offers.
    ///   - authenticator: Makes and uses passkeys; `nil`: what this platform offers.
    ///   - deviceKeys: Where the key lies that sessions are bound to; `nil`: what this platform offers. On Linux that
    ///     is the TPM if this process may use one, and otherwise, as elsewhere, a key in software, kept in `storage`.
    ///     A sign-out removes the key: containers that share a name and device keys must share their store, too.
    ///   - biometricDevice: Recognises the person by a finger or a face; `nil`: what this platform offers.
    ///   - transport: Carries every request; `nil`: a URL session of its own.
    ///   - ambient: Clock and randomness.
    ///   - logger: The app's log, which is told what this container does and never a secret; `nil`: nothing is told.
    public init(
        _ service: Service, name: String? = nil, storage: SessionStorage = .automatic,
        vaultStorage: SessionStorage? = nil, browser: (any BrowserAgent)? = nil,
        authenticator: (any PasskeyAuthenticator)? = nil, deviceKeys: (any DeviceKeys)? = nil,
        biometricDevice: (any BiometricDevice)? = nil, transport: (any HTTPTransport)? = nil, ambient: Ambient = .live,
        logger: KeyturnLogger? = nil
    ) {
        let carrier = { LoggingTransport.telling(logger, over: transport ?? URLSessionTransport()) }
        self.service = service
        let client = SessionRecord.Client(service)
        let store = storage.makeStore(ambient: ambient, name: name, client: client)
        let vaultStore = vaultStorage?.makeStore(ambient: ambient, name: name, client: client) ?? store
        let isNamed = name != nil
        let name = name ?? ContainerName.derived(of: client, program: ContainerName.program)
        self.name = name
        self.ambient = ambient
        fetching = LoggingTransport.telling(
            logger, over: transport ?? URLSessionTransport(responseBytesMax: Limits.fetchedMaxBytes), namesPaths: false)
        settingsBrowser = browser ?? PlatformBrowser.makeForSettings(of: service)
        let browser = browser ?? PlatformBrowser.make(for: service)
        self.browser = browser
        self.authenticator = authenticator ?? PlatformAuthenticator.make(browser: browser, for: service)
        passkeyEndpoint = service.publishableKey.map { key in
            PasskeyEndpoint(
                baseURL: service.issuer, key: .publishable(key), transport: carrier(), ambient: ambient)
        }
        hub = ChangeHub(logger)
        cache = TokenCache()
        pendingSignIns = PendingSignIns()
        runningFlow = RunningFlow(logger)
        self.biometricDevice = biometricDevice ?? PlatformBiometrics.make(store: vaultStore, ambient: ambient)
        let isForgotten = (vaultStorage ?? storage).endsWithProcess
        biometricMemory = BiometricMemory(
            store: vaultStore, container: name, device: self.biometricDevice, client: client, isForgotten: isForgotten)
        // Trifork's own library keeps what is not under a password in memory.
        let isInMemory =
            switch storage {
            case .memory: true
            case .automatic: service.kind == .tim
            case .custom: false
            }
        // The key that a session in the vault is bound to must last as long as that.
        let keys = Self.deviceKeys(deviceKeys, isInMemory ? vaultStore : store, ambient)
        self.deviceKeys = keys
        let isAuthgear = service.wire.authgear != nil
        deviceInfo = { isAuthgear ? PlatformDeviceInfo.authgear(isNamed: true) : PlatformDeviceInfo.json() }
        provider = OpenIDProvider(
            service, transport: carrier(), keys: service.keyPlaces(.init(keys: keys, name: name), ambient),
            deviceInfo: isAuthgear ? PlatformDeviceInfo.authgear(isNamed: false) : nil, ambient: ambient)
        let renewer = ServiceRenewer(
            openID: provider,
            methods: MethodEndpoint(
                service, transport: carrier(), clock: provider.clock, proofs: provider.proofs))
        methods = renewer.methods
        keyRelease =
            isInMemory
            ? nil
            : DeviceKeyRelease(
                keys: keys, store: store, vaultStore: vaultStore, container: name, pending: pendingSignIns,
                ambient: ambient)
        let leaveGroup = service.leavingGroup(container: name, ambient)
        keeper = SessionKeeper(
            container: name, store: isInMemory ? MemoryStore() : store, renewer: renewer, hub: hub,
            cache: cache, identity: client, serviceDetails: service.details, ambient: ambient,
            takeover: LegacyTakeover(
                of: service, isNamed: isNamed, storage: isInMemory ? .memory : storage, store: store, container: name,
                ambient: ambient),
            finishing: PlatformFinishingTime.make(),
            afterSignIn: { [biometricMemory] in
                await biometricMemory.endKey()
                await leaveGroup()
            })
        let anonymous = AnonymousKey(provider: provider, keys: keys, store: vaultStore, container: name)
        afterSignOut = { [isKnown = service.wire.hasAnonymousUsers] in
            if isKnown { await anonymous.forgetIfAny() }
            if !isAuthgear { await leaveGroup() }
        }
        vaultAccess = VaultAccess(
            service: service, keeper: keeper, provider: provider,
            records: VaultRecords(store: vaultStore, container: name, ambient: ambient), device: self.biometricDevice,
            transport: carrier(), ambient: ambient, isPlainInMemory: isInMemory,
            isForgotten: isForgotten, notices: PlatformNotices.make())
        watch(vaultAccess.notices)
    }

    deinit {
        // What listens holds the vault, and the vault what listens.
        vaultAccess.background.listen(nil)
    }

    /// Reads the store again when the device is unlocked: before the first time after it started, nothing can be.
    func watch(_ notices: any AppNotices) {
        let registration = notices.listen { [weak keeper = self.keeper] notice in
            guard notice == .protectedDataAvailable else { return }
            Task { await keeper?.readAgain() }
        }
        self.notices.withLock { $0 = registration }
    }

    private static func deviceKeys(
        _ given: (any DeviceKeys)?, _ store: any SessionStore, _ ambient: Ambient
    ) -> any DeviceKeys {
        guard let given else { return PlatformDeviceKeys.make(store: store, ambient: ambient) }
        return (store as? ContainerStore).map { ContainerDeviceKeys(inner: given, store: $0) } ?? given
    }

    /// The container that was signed in under `name` before, whatever its service was; `nil` if nothing is stored, in
    /// its ``vault`` neither.
    ///
    /// For tools that are told the service once, at sign-in. Client secrets are not stored: a confidential client
    /// makes its container by itself.
    ///
    /// - Throws: `store.unavailable`; `service.unsupported` if a newer release stored a service unknown to this one.
    public static func stored(
        name: String, storage: SessionStorage = .automatic, vaultStorage: SessionStorage? = nil,
        browser: (any BrowserAgent)? = nil, authenticator: (any PasskeyAuthenticator)? = nil,
        deviceKeys: (any DeviceKeys)? = nil, biometricDevice: (any BiometricDevice)? = nil,
        transport: (any HTTPTransport)? = nil, ambient: Ambient = .live, logger: KeyturnLogger? = nil
    ) async throws(AuthError) -> Keyturn? {
        let store = storage.makeStore(ambient: ambient, name: name, client: nil)
        let vaultStore = vaultStorage?.makeStore(ambient: ambient, name: name, client: nil) ?? store
        guard let service = try await storedService(name, store, vaultStore, ambient) else { return nil }
        // What these mean is for the container to decide, where they mean more than a store.
        let storage: SessionStorage =
            switch storage {
            case .memory: storage
            case .automatic where service.kind == .tim: storage
            case .automatic, .custom: .custom(store)
            }
        return Keyturn(
            service, name: name, storage: storage, vaultStorage: vaultStorage.map { _ in .custom(vaultStore) },
            browser: browser, authenticator: authenticator,
            deviceKeys: deviceKeys, biometricDevice: biometricDevice, transport: transport, ambient: ambient,
            logger: logger)
    }

    /// The service of the session that is stored under `name`, or else of those in its vault.
    private static func storedService(
        _ name: String, _ store: any SessionStore, _ vaultStore: any SessionStore, _ ambient: Ambient
    ) async throws(AuthError) -> Service? {
        let service: Service?
        switch await store.read(name) {
        case .unavailable(let error): throw error
        case .found(let record): service = try SessionRecord(record).service
        case .absent:
            let records = VaultRecords(store: vaultStore, container: name, ambient: ambient)
            guard let index = try await records.index()?.index, !index.users.isEmpty else { return nil }
            service = index.service
        }
        guard let service else {
            throw AuthError(.unsupported, "the stored session belongs to a service unknown to this release")
        }
        return service
    }

    /// Loads the stored session. Asks no network, so it never fails because one is down.
    ///
    /// Everything else loads it when needed; call this first to know the state before the first screen.
    ///
    /// - Throws: `store.unavailable` if the store cannot be read now. The state is then ``SessionState/unknown``, the
    ///   user has not been signed out, and the next call tries again. `store.key_lost` if it never can be read again.
    @discardableResult
    public func start() async throws(AuthError) -> SessionState {
        try await keeper.start()
    }

    /// What is known about the session at this moment.
    public var state: SessionState {
        get async { await keeper.state }
    }

    /// Why the session could not be stored as it is now, for want of room on the disk for instance; `nil` if it is.
    ///
    /// It goes on in memory and is stored at the next opportunity. A program that ends now leaves behind what it was
    /// made from, which the server takes as well.
    public var storageProblem: AuthError? {
        get async { await keeper.machine.storeFailure }
    }

    /// Every change from now on, in order; each use makes a stream of its own.
    ///
    /// A reader that falls more than 64 changes behind loses the oldest. Ends when the container is released.
    public var changes: AsyncStream<SessionChange> {
        hub.subscribe()
    }

    /// An access token valid for at least `minimumSeconds`, renewed if necessary.
    ///
    /// However many tasks, containers and processes ask, one of them renews. Cancelling the calling task cancels its
    /// waiting and nothing else. A token whose lifetime the server keeps to itself is returned as it is, and so is
    /// one just issued for less than `minimumSeconds`.
    ///
    /// - Parameter minimumSeconds: 0…86 400.
    /// - Throws: `session.signed_out`; `session.ended` when the server has just ended the session;
    ///   `transport.unavailable` and `store.unavailable` when renewal is impossible now and the session stands, as with
    ///   `sign_in.interaction_required` when the user must go to the service's page, and `token.expired` without a
    ///   refresh token; `sign_in.cancelled`, caused by a `CancellationError`, if the calling task is cancelled.
    @inlinable
    public nonisolated(nonsending) func accessToken(minimumSeconds: Int64 = 60) async throws(AuthError) -> String {
        if let token = cachedAccessToken(minimumSeconds: minimumSeconds) { return token }
        return try await freshAccessToken(minimumSeconds: minimumSeconds)
    }

    @usableFromInline
    nonisolated(nonsending) func freshAccessToken(minimumSeconds: Int64) async throws(AuthError) -> String {
        try await keeper.accessToken(minimumSeconds: min(max(0, minimumSeconds), Limits.minimumSecondsMax))
    }

    /// The access token if it is at hand and valid for at least `minimumSeconds`; `nil` if getting one would take
    /// asking the store or the service. For code that cannot wait.
    ///
    /// - Parameter minimumSeconds: 0…86 400.
    public func cachedAccessToken(minimumSeconds: Int64 = 60) -> String? {
        cache.take(
            minimumSeconds: min(max(0, minimumSeconds), Limits.minimumSecondsMax), at: ambient.coarseMilliseconds())
    }

    /// For how many seconds the access token at hand is still valid; `nil` without a session, or if the server did not
    /// say. For callers to whom a token that is too short is of no use.
    public var accessTokenExpiresInSeconds: Int64? {
        get async { await keeper.remainingSeconds }
    }

    /// Renews the access token whatever its remaining lifetime, and returns it.
    ///
    /// - Throws: as ``accessToken(minimumSeconds:)``.
    @discardableResult
    public func forceRefresh() async throws(AuthError) -> String {
        try await keeper.forceRefresh()
    }
}
