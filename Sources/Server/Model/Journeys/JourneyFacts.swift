public import KeyturnBase

/// What the server knows of a sign-in when it decides the next step of a journey. Read anew each time; no part of it
/// comes from a form.
public struct JourneyFacts: Hashable, Sendable {
    /// Whether something was typed that names a user.
    public var isIdentified = false
    /// Whether a factor was verified.
    public var isProven = false
    /// What the app said.
    public var inputs = JourneyInputs.none
    /// Of the user's email addresses, or of the typed one while no user is known.
    public var domains: Set<String> = []
    public var tenants: Set<String> = []
    public var isNewUser = false
    /// The names of the attributes that the user has.
    public var attributes: Set<String> = []
    /// By which the user was verified.
    public var methods: Set<AuthenticationMethod> = []
    /// The connection that vouched for the user; `nil`: none did.
    public var connection: String?
    /// Whether two different factors were verified.
    public var hasSeveralFactors = false
    /// The age of the last verification when the request came; negative: it came later.
    public var ageSeconds: Int64 = 0
    /// That the user has set up.
    public var enrolled: Set<AuthenticationMethod> = []
    /// The documents that the user accepted, by ``JourneyDocument/key``.
    public var accepted: Set<String> = []
    /// The connections at which the user has an account, if the journey asks for one.
    public var linked: Set<String> = []
    /// What was unusual when the user was first verified.
    public var risks: Set<RiskSignal> = []

    /// Whether a session of the user is all there is: nothing was asked in this sign-in.
    public var isResumed = false

    public init() {}

    /// Whether the verifications are what a step demands.
    public func satisfies(_ proof: JourneyProof) -> Bool {
        guard isProven, proof.maxAgeSeconds.map({ ageSeconds <= $0 }) ?? true else { return false }
        guard !proof.connections.isEmpty else { return proof.methods.isEmpty || accepts(proof.methods) }
        let isVouched = connection.map(proof.connections.contains) ?? false
        return isVouched || accepts(proof.methods.subtracting([.social, .federated]))
    }

    private func accepts(_ methods: Set<AuthenticationMethod>) -> Bool { !methods.isDisjoint(with: self.methods) }
}

extension JourneyFacts {
    /// What an account says.
    ///
    /// - Parameter time: of the request: a user who signed up since is new.
    public init(_ account: Account, since time: UnixTime) {
        isIdentified = true
        domains = Self.domains(account)
        tenants = Set(account.memberships.tenants.keys)
        isNewUser = account.user.createdAt >= time
        attributes = Set(
            account.user.claims.merging(account.user.attributes) { own, _ in own }.filter { $1 != .null }.keys)
        accepted = Set(account.user.acceptances.map { "\($0)@\($1.version)" })
        let kinds = account.identifiers.filter { $0.value == .verified }.map(\.key.kind)
        if kinds.contains(.email) { enrolled.insert(.email) }
        if kinds.contains(.phone) { enrolled.insert(.sms) }
        if account.passwordHash != nil { enrolled.insert(.password) }
        if account.hasAuthenticator { enrolled.insert(.totp) }
        if account.hasPasskey { enrolled.insert(.passkey) }
    }

    private static func domains(_ account: Account) -> Set<String> {
        Set(account.identifiers.filter { $0.value == .verified }.keys.compactMap { domain(of: $0) })
    }

    /// The domain of an email address; `nil`: it is none.
    public static func domain(of identifier: Identifier) -> String? {
        guard identifier.kind == .email else { return nil }
        return identifier.value.split(separator: "@").last.map { $0.lowercased() }
    }

    /// Adds how the user was verified.
    ///
    /// - Parameter time: of the request.
    public mutating func add(_ authentication: AuthenticationFacts, since time: UnixTime) {
        isProven = true
        // References of sessions that an earlier release opened name no method for certain.
        methods = Set(authentication.methods.compactMap(AuthenticationMethod.init(word:)))
        // A step that takes a password takes it wherever it was checked.
        if methods.remove(.directoryPassword) != nil { methods.insert(.password) }
        // A link that was opened on another device is no approval there.
        if methods.contains(where: { $0.factor == .mailbox || $0.factor == .telephone }) { methods.remove(.approval) }
        hasSeveralFactors = authentication.methods.contains(AuthenticationMethod.severalFactors)
        ageSeconds = time.seconds(since: authentication.time)
    }
}
