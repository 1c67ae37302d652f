public import KeyturnBase
internal import KeyturnQRCode
public import KeyturnWire
public import Model

/// What the hosted pages send: each message can be answered by a link or by a code.
extension SignInMethods {
    /// Sends three numbered links to this server's page, and a code to enter instead.
    ///
    /// - Throws: ``MethodProblem`` for faults of the request itself, never for an unknown user.
    public func sendLinks(_ ask: VerificationRequest) async throws -> EnchantedLinkAnswer {
        let core = codes.core
        let plan = try await core.planner.plan(ask).inOneMessage(core.ambient)
        let links = try await enchantedLinks.make(plan, target: core.targets.ownPage)
        let code = try await codes.make(plan)
        // The page shows the number of the opened link, so that the user can compare it.
        let numbered = links.all.map { (number: $0.number, link: "\($0.link)&n=\($0.number)") }
        try await core.messages.send(links: numbered, code: code, plan)
        return EnchantedLinkAnswer(linkID: links.right, pendingRef: links.reference, masked: plan.masked)
    }

    /// Sends a code to enter, and a link to this server's page that does the same in the browser of the sign-in.
    ///
    /// - Throws: ``MethodProblem`` as ``OneTimeCodes/send(_:)-(VerificationRequest)``.
    public func sendCodeAndLink(_ ask: VerificationRequest) async throws -> MaskedAnswer {
        let core = codes.core
        try await codes.requireTries(VerificationPlanner.identifier(ask.loginID), ask.method, from: ask.from)
        let plan = try await core.planner.plan(ask).inOneMessage(core.ambient)
        let link = try await magicLinks.make(plan, target: core.targets.ownPage)
        let code = try await codes.make(plan)
        try await core.messages.send(code, link: link, plan)
        return plan.masked
    }

    /// Sends a link to choose a new password on this server's page, and a code to enter instead.
    ///
    /// - Throws: ``MethodProblem`` for faults of the request itself, never for an unknown user.
    public func sendReset(_ ask: VerificationRequest) async throws -> MaskedAnswer {
        let core = codes.core
        let plan = try await core.planner.plan(ask).inOneMessage(core.ambient)
        let link = try await magicLinks.make(plan, target: core.targets.ownPage)
        let code = try await codes.make(plan)
        try await core.messages.send(link: link, code: code, plan)
        return plan.masked
    }

    /// Invalidates a link whose receiver did not ask for it.
    public func refuse(_ token: Secret) async throws(StoreError) {
        guard MagicLinks.isPlausible(token) else { return }
        _ = try await codes.core.stores.links.redeem(SecretDigest(of: token), at: codes.core.ambient.now())
    }
}

extension LinkDescription {
    /// The masked login ID, for the page that a link opens.
    public var maskedLoginID: String { Destination.mask(facts.loginID.value) }
}

extension VerificationPlan {
    /// The plan of a message with a link and a code, of which one can be used.
    fileprivate func inOneMessage(_ ambient: Ambient) -> VerificationPlan {
        var plan = self
        plan.facts.messageID = ambient.randomToken(byteCount: 16)
        return plan
    }
}

extension LinkTargets {
    /// This server's page for links.
    var ownPage: String { issuer.hasSuffix("/") ? issuer + "link" : issuer + "/link" }
}

extension EnchantedLinks {
    /// Whether none of the links has been used or cancelled yet. Changes nothing.
    public func isWaiting(_ reference: Secret) async throws(StoreError) -> Bool {
        guard MagicLinks.isPlausible(reference) else { return false }
        return try await core.stores.links.isWaiting(SecretDigest(of: reference), at: core.ambient.now())
    }
}

extension TOTPAuthenticators {
    /// Whether the user has a confirmed authenticator.
    public func isConfirmed(for user: UserID) async throws(StoreError) -> Bool {
        try await core.stores.authenticators.authenticators(of: .user(user), at: core.ambient.now())
            .contains(where: \.isConfirmed)
    }

    /// Begins to set up the first authenticator of a user who has just signed in.
    ///
    /// - Parameters:
    ///   - facts: how the user signed in.
    ///   - session: the one that the sign-in goes on from, with which the setup ends; `nil`: none, and the page that
    ///     shows the key is the only place that confirms it (``SignInMethods/confirm(_:of:code:from:)``).
    /// - Throws: ``MethodProblem/invalidRequest`` if there is one: it is not replaced in this way; ``MethodProblem`` with
    ///   what is missing.
    public func enrol(_ account: Account, after facts: AuthenticationFacts, in session: SessionID? = nil) async throws
        -> Secret
    {
        guard let loginID = account.identifiers.keys.min(by: { $0.value < $1.value }) else {
            throw MethodProblem.invalidRequest
        }
        let secret = TOTPSecret.make(core.ambient)
        let begun = session.map(StoredTOTP.Session.browser) ?? .page(showing: secret.base32)
        return try await setUp(account, secret, loginID, begunIn: begun, after: facts).key
    }

    /// The QR code (SVG) and key URI of a key that is being set up.
    ///
    /// - Returns: `nil` if it is no key.
    public func picture(of key: Secret, account name: String) -> (uri: Secret, svg: String)? {
        guard let secret = TOTPSecret(typed: key) else { return nil }
        let uri = KeyURI.make(TOTPCode(secret), issuer: project.name, account: name)
        return QRCode(uri.exposed()).map { (uri, $0.svg()) }
    }
}
