public import KeyturnBase
public import KeyturnWire
public import Model

/// Codes and links of test users, for callers with a management key: test users have no mailbox.
///
/// They are made like any others, and returned instead of sent.
public struct TestUserVerification: Sendable {
    let core: VerificationCore
    let codes: OneTimeCodes
    let magicLinks: MagicLinks
    let enchantedLinks: EnchantedLinks

    /// A code that the next verification accepts.
    ///
    /// - Throws: ``MethodProblem/managementUserNotFound``, also for a user who is no test user.
    public func code(loginID: String, method: DeliveryMethod, options: LoginOptions = .none) async throws -> Secret {
        try await codes.make(plan(loginID, method, options))
    }

    /// A magic link.
    ///
    /// - Parameter redirectURL: any page: a management key vouches for it.
    public func magicLink(
        loginID: String, method: DeliveryMethod, redirectURL: String?, options: LoginOptions = .none
    ) async throws -> Secret {
        let target = try core.targets.target(redirectURL, isTrusted: true)
        return Secret(try await magicLinks.make(plan(loginID, method, options), target: target))
    }

    /// The right one of three links, with the reference for collecting its session.
    public func enchantedLink(
        loginID: String, method: DeliveryMethod = .email, redirectURL: String?, options: LoginOptions = .none
    ) async throws -> (link: Secret, pendingRef: Secret) {
        let target = try core.targets.target(redirectURL, isTrusted: true)
        let triple = try await enchantedLinks.make(plan(loginID, method, options), target: target)
        return (Secret(triple.rightLink), triple.reference)
    }

    private func plan(_ text: String, _ method: DeliveryMethod, _ options: LoginOptions) async throws
        -> VerificationPlan
    {
        guard let loginID = Identifier(loginID: text), let account = try await core.stores.users.account(loginID),
            account.user.isTest
        else { throw MethodProblem.managementUserNotFound.saying("There is no test user of this login ID") }
        guard let proof = AuthenticationMethod(rawValue: method.rawValue) else { throw MethodProblem.invalidArguments }
        guard !options.needsSession else {
            throw MethodProblem.invalidRequest.saying("Step-up and MFA are asked for at sign-in")
        }
        // The test user's own address is not used: nothing is sent. A login ID of the right kind is verified.
        let address = loginID.kind == Destination.kind(of: method) ? loginID : nil
        let facts = VerificationFacts(
            .signIn, userID: account.user.id, loginID: loginID, address: address, method: proof,
            options: options.json, epoch: account.user.epoch)
        return VerificationPlan(
            facts: facts, method: method, to: loginID.value, isDecoy: false, isSilent: true, isRegistered: false,
            options: options, masked: MaskedAnswer(Destination.mask(loginID.value), via: method))
    }
}

/// Links for messages of the operator's backend, which is responsible for sending them to the right user.
public struct EmbeddedLinks: Sendable {
    let core: VerificationCore

    /// A token that signs a user in once.
    ///
    /// - Parameter seconds: its lifetime; `nil`: ``Limits/proofSeconds``.
    /// - Throws: ``MethodProblem/managementUserNotFound``.
    public func signIn(loginID text: String, options: LoginOptions, seconds: Int64?) async throws -> Secret {
        guard let loginID = Identifier(loginID: text), let account = try await core.stores.users.account(loginID) else {
            throw MethodProblem.managementUserNotFound
        }
        return try await make(
            VerificationFacts(
                .embedded, userID: account.user.id, loginID: loginID, address: nil, method: .email,
                options: options.json, epoch: account.user.epoch),
            options, seconds: seconds)
    }

    /// A token that creates a user and signs them in, once.
    ///
    /// - Parameters:
    ///   - isVerified: the backend has verified that the login ID is the user's own.
    ///   - seconds: its lifetime; `nil`: ``Limits/proofSeconds``.
    /// - Throws: ``MethodProblem/userExists``.
    public func signUp(
        loginID text: String, details: SignUpDetails, isVerified: Bool, options: LoginOptions, seconds: Int64?
    ) async throws -> Secret {
        let loginID = try VerificationPlanner.newIdentifier(text)
        try details.requireSmall()
        guard try await core.stores.users.account(loginID) == nil else { throw MethodProblem.userExists }
        return try await make(
            VerificationFacts(
                .embedded, userID: nil, loginID: loginID, address: isVerified ? loginID : nil, method: .email,
                details: details.json, options: options.json),
            options, seconds: seconds)
    }

    private func make(_ facts: VerificationFacts, _ options: LoginOptions, seconds: Int64?) async throws -> Secret {
        guard !options.needsSession else {
            throw MethodProblem.invalidRequest.saying("Step-up and MFA are asked for at sign-in")
        }
        let seconds = seconds ?? Limits.proofSeconds
        guard (1...Limits.embeddedLinkSecondsMax).contains(seconds) else {
            throw MethodProblem.invalidArguments.saying("The timeout field is out of range")
        }
        guard facts.json.serialized.count <= Limits.proofFactsBytesMax else {
            throw MethodProblem.invalidArguments.saying("Options and details are too large")
        }
        let token = core.digests.makeToken()
        let now = core.ambient.now()
        try await core.stores.links.add(
            [PendingLink(digest: SecretDigest(of: token), facts: facts)], reference: nil, expiresAt: now + seconds,
            at: now)
        return token
    }
}

extension EmbeddedLinks: SignInMethod {
    public static let name = "embedded_link"
    public static let proves: Set<AuthenticationMethod> = [.email]
    public static let places: Set<SignInPlace> = [.first]
}
