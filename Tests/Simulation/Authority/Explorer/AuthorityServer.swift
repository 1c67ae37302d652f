import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import SignIn
import Synchronization

@testable import StoreValues

/// The server's own services, as the program wires them, over stores of values that are exchanged before each act.
final class AuthorityServer: Sendable {
    static let issuer = "https://id.example"

    let settings: AuthoritySettings
    let services: IdentityServices
    let book: SecretBook
    private let database: ValueDatabase
    private let moment: LaboratoryMoment

    init(_ settings: AuthoritySettings) async throws {
        self.settings = settings
        let moment = LaboratoryMoment()
        let database = ValueDatabase()
        guard let secrets = ServerSecrets([Array(repeating: 7, count: 32)]) else {
            preconditionFailure("32 bytes are a secret")
        }
        let stores = database.stores()
        services = IdentityServices(
            project: Project(
                id: "project", name: "Test", issuer: Self.issuer, signingAlgorithms: ["EdDSA"],
                authority: settings.policy),
            stores: settings.fault?.planted(in: stores) ?? stores, secrets: secrets,
            hashing: HashingPool(threads: 1), keyHashing: HashingPool(threads: 1),
            passwordParameters: Argon2Parameters(memoryKiB: 8, passes: 1, lanes: 1),
            registration: RegistrationSettings(), keyService: nil, ambient: moment.ambient)
        book = SecretBook(services)
        self.moment = moment
        self.database = database
        moment.begin("the keys of the server", at: Self.beginning)
        try await services.prepare()
    }

    static let beginning = UnixTime(rawValue: 1_800_000_000)

    /// A state in which nothing has happened.
    var empty: AuthorityState { AuthorityState(stores: database.world, now: Self.beginning) }

    /// Changes what the stores keep, as a command on the machine does.
    func alter(_ change: (inout StoreWorld) -> Void) throws {
        var world = database.world
        change(&world)
        database.restore(world)
    }

    /// From now on the server is in this state.
    ///
    /// - Parameter seed: decides what is random: equal acts make equal identifiers, in whichever order they come.
    func enter(_ state: AuthorityState, _ seed: String) async throws {
        let before = database.world
        database.restore(state.stores)
        moment.begin(seed, at: state.now)
        if before.clients != state.stores.clients { try await services.clients.reload() }
        if before.tenants != state.stores.tenants || before.roles != state.stores.roles {
            try await services.directory.reload()
        }
        if before.connections != state.stores.connections { try await services.connections.reload() }
        services.accessTokens.forgetAll()
    }

    /// The grant that was not there in this world; `nil`: there is none.
    func newGrant(since world: StoreWorld) -> GrantID? {
        database.world.grants.keys.first { world.grants[$0] == nil }
    }

    /// What the stores keep now, without what no rule of these looks at: counters of attempts, and the log.
    func leave(_ state: inout AuthorityState) async throws -> [OutgoingMessage] {
        // Opened before they are forgotten.
        var messages = try await services.messages.newest(limit: 100).map(\.message)
        if settings.fault == .noticesAreLost { messages.removeAll { $0.code == nil } }
        var stores = database.world
        stores.messages = []
        stores.rateLimits = [:]
        stores.attempts = [:]
        stores.codeTries = [:]
        stores.audit = []
        state.stores = stores
        return messages
    }
}

extension ValueDatabase {
    fileprivate func restore(_ world: StoreWorld) {
        try? write { $0 = world }
    }
}

/// The clock and the randomness of the exploration.
private final class LaboratoryMoment: Sendable {
    private struct Record {
        var now = AuthorityServer.beginning
        var state: UInt64 = 1
    }

    private let record = Mutex(Record())

    /// - Parameter seed: the same random bytes for the same text.
    func begin(_ seed: String, at now: UnixTime) {
        // FNV-1a.
        let state = seed.utf8.reduce(UInt64(14_695_981_039_346_656_037)) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
        record.withLock { $0 = Record(now: now, state: state) }
    }

    var ambient: Ambient {
        Ambient(
            clock: { self.record.withLock(\.now) },
            entropy: { count in
                self.record.withLock { record in
                    var random = SeededGenerator(seed: record.state)
                    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                    record.state = random.next()
                    return bytes
                }
            })
    }
}

/// What stored secrets are, each looked at once: whose password a hash is of, and the secret of an authenticator app.
final class SecretBook: Sendable {
    private let passwords: Passwords
    private let seal: TOTPSeal
    private let owners = Mutex<[String: Person?]>([:])
    private let secrets = Mutex<[[UInt8]: String]>([:])

    init(_ services: IdentityServices) {
        passwords = services.passwords
        seal = services.methods.authenticators.seal
    }

    /// - Returns: `nil`: none of these people's.
    func owner(ofHash hash: String) async throws -> Person? {
        if let found = owners.withLock({ $0[hash] }) { return found }
        var owner: Person?
        for person in Person.allCases where try await passwords.matches(Secret(person.password), hash) {
            owner = person
        }
        let found = owner
        owners.withLock { $0[hash] = found }
        return found
    }

    /// - Returns: in base32; `nil`: it was sealed elsewhere.
    func secret(of stored: StoredTOTP) -> String? {
        if let found = secrets.withLock({ $0[stored.sealed] }) { return found }
        guard let secret = seal.open(stored)?.base32.exposed() else { return nil }
        secrets.withLock { $0[stored.sealed] = secret }
        return secret
    }
}
