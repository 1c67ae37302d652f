internal import Authority
public import KeyturnBase
internal import KeyturnWire
public import Model
public import OAuth

/// All sign-in methods, wired together.
public struct SignInMethods: Sendable {
    public let codes: OneTimeCodes
    public let magicLinks: MagicLinks
    public let enchantedLinks: EnchantedLinks
    public let authenticators: TOTPAuthenticators
    public let passwords: PasswordMethods
    public let recoveryCodes: RecoveryCodes
    public let testUsers: TestUserVerification
    public let embeddedLinks: EmbeddedLinks
    public let passkeys: UserPasskeys
    public let approvals: Approvals

    public init(
        project: Project, settings: MethodSettings, clients: ClientDirectory, stores: Stores, secrets: ServerSecrets,
        passwords: Passwords, directories: DirectoryPasswords, relyingParties: RelyingParties,
        messages: any MessageSender, notices: SecurityNotices, domains: TenantDomains,
        audit: any AuditLog, ambient: Ambient
    ) {
        let core = VerificationCore(
            project: project, settings: settings, clients: clients, stores: stores, secrets: secrets,
            messages: messages, notices: notices, signUp: SignUpGate(project.rulebook, domains: domains), audit: audit,
            ambient: ambient)
        codes = OneTimeCodes(core: core)
        magicLinks = MagicLinks(core: core)
        enchantedLinks = EnchantedLinks(core: core)
        authenticators = TOTPAuthenticators(core: core, project: project, secrets: secrets)
        self.passwords = PasswordMethods(
            core: core, links: magicLinks, passwords: passwords, directories: directories,
            policy: project.passwordPolicy,
            breached: project.breachedPasswords,
            settings: settings.passwords)
        recoveryCodes = RecoveryCodes(core: core, secrets: secrets)
        testUsers = TestUserVerification(
            core: core, codes: codes, magicLinks: magicLinks, enchantedLinks: enchantedLinks)
        embeddedLinks = EmbeddedLinks(core: core)
        passkeys = UserPasskeys(parties: relyingParties, core: core, secrets: secrets)
        approvals = Approvals(core: core, settings: settings.approval, project: project, clients: clients)
    }
}

/// A method of the registry: its type, and where the wired value is.
public struct SignInMethodEntry: Sendable {
    public let type: any SignInMethod.Type
    let value: @Sendable (SignInMethods) -> any SignInMethod

    init<Method: SignInMethod>(_ value: @escaping @Sendable (SignInMethods) -> Method) {
        type = Method.self
        self.value = value
    }
}

extension SignInMethods {
    /// The registry: one line for each method.
    public static let registry: [SignInMethodEntry] = [
        SignInMethodEntry { $0.codes },
        SignInMethodEntry { $0.magicLinks },
        SignInMethodEntry { $0.enchantedLinks },
        SignInMethodEntry { $0.embeddedLinks },
        SignInMethodEntry { $0.authenticators },
        SignInMethodEntry { $0.recoveryCodes },
        SignInMethodEntry { $0.passwords },
        SignInMethodEntry { $0.passkeys },
        SignInMethodEntry { $0.approvals },
    ]

    /// The type of each method.
    public static let types: [any SignInMethod.Type] = registry.map(\.type)

    /// Each method, as it is wired.
    public var all: [any SignInMethod] { Self.registry.map { $0.value(self) } }

    /// Whether this server offers a method.
    public func offers(_ method: any SignInMethod.Type) -> Bool {
        all.contains { type(of: $0).name == method.name && $0.isOffered }
    }

    /// The classes that a sign-in can have: `acr_values_supported` of OpenID Connect Discovery.
    public static var contextClasses: [String] {
        let firsts = types.filter { $0.places.contains(.first) }.flatMap { $0.proves }
        var classes = Set(firsts.map(\.contextClass))
        if types.contains(where: { !$0.places.isDisjoint(with: [.second, .both]) }) {
            classes.insert(AuthenticationFacts.severalFactorsClass)
        }
        return AuthenticationFacts.classes.filter(classes.contains)
    }

    /// Also those that this server does not offer: a factor that a user has set up stays required.
    private var secondFactors: [any SecondFactorMethod] {
        all.compactMap { $0 as? any SecondFactorMethod }
    }

    /// The second factor that a user has set up; `nil`: none is required.
    public func requiredFactor(of user: UserID) async throws(StoreError) -> AuthenticationMethod? {
        for method in secondFactors where try await method.isRequired(for: user) { return type(of: method).factor }
        return nil
    }

    /// Checks the code of a second factor.
    ///
    /// - Throws: as ``SecondFactorMethod/verifySecond(_:of:from:)``; ``CodeWasUsed`` for a code that was accepted a
    ///   moment ago. Only a user whose first factor was verified gets this answer, so a stranger learns nothing from it.
    public func checkSecond(
        _ account: Account, code: Secret, by factor: AuthenticationMethod, from address: NetworkAddress?
    ) async throws -> AuthenticationMethod {
        guard let method = secondFactors.first(where: { type(of: $0).factor == factor }) else {
            throw MethodProblem.wrongCode
        }
        return try await check(code, of: account, by: method) {
            try await method.verifySecond(code, of: account, from: address)
        }
    }

    /// Checks a code of an authenticator app that a page sets up, also one that is set up by now.
    ///
    /// - Parameter key: the one that the page shows.
    /// - Throws: as ``checkSecond(_:code:by:from:)``.
    public func confirm(_ key: Secret, of account: Account, code: Secret, from address: NetworkAddress?) async throws
        -> AuthenticationMethod
    {
        try await check(code, of: account, by: authenticators) {
            try await authenticators.verify(
                loginID: account.someLoginID, code: code, setUpIn: .page(showing: key), from: address)
        }
    }

    private func check(
        _ code: Secret, of account: Account, by method: any SecondFactorMethod,
        _ verify: () async throws -> CompletedVerification
    ) async throws -> AuthenticationMethod {
        let proof: CompletedVerification
        do {
            proof = try await verify()
        } catch let problem as MethodProblem {
            guard problem.code == MethodProblem.wrongCode.code, try await method.wasUsed(code, by: account.user.id)
            else { throw problem }
            throw CodeWasUsed()
        }
        guard proof.identity.account.user.id == account.user.id else { throw MethodProblem.wrongCode }
        return proof.identity.method
    }
}

/// The code of the second factor was right, but was used before: each is accepted once.
public struct CodeWasUsed: Error, Hashable, Sendable {}
