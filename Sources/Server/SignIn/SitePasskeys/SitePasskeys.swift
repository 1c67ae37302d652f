public import KeyturnBase
internal import KeyturnWebAuthn
public import KeyturnWire
public import Model

/// Passkeys of sites that keep their own users: a page runs the ceremony and gets a one-time token, with which the
/// site's backend learns the user.
public struct SitePasskeys: Sendable {
    let store: any PasskeyStore
    let ceremonies: PasskeyCeremonies
    let tokens: PasskeyTokenSeal
    let names: SiteNames
    let decoys: DecoyCredentials
    let limits: SiteRateLimits
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        store: any PasskeyStore, spent: any ReplayStore, rateLimits: any RateLimitStore, secrets: ServerSecrets,
        audit: any AuditLog, ambient: Ambient
    ) {
        self.store = store
        limits = SiteRateLimits(store: rateLimits)
        ceremonies = PasskeyCeremonies(store: store, spent: spent, secrets: secrets, audit: audit, ambient: ambient)
        tokens = PasskeyTokenSeal(secrets, ambient: ambient)
        names = SiteNames(secrets)
        decoys = DecoyCredentials(secrets)
        self.audit = audit
        self.ambient = ambient
    }

    /// The options for creating a passkey. Its user is not known yet.
    ///
    /// - Parameters:
    ///   - isUpgrade: without a prompt, right after a sign-in with another method.
    ///   - address: where the page or app asks from.
    /// - Throws: ``SiteProblem/tooManyRequests(retryAfterSeconds:)``; ``StoreError``.
    public func beginRegistration(at party: RelyingParty, isUpgrade: Bool, from address: NetworkAddress?)
        async throws -> PasskeyOptions
    {
        try await limits.chargeCeremony(at: party, from: address, at: ambient.now())
        let user = PublicKeyCredentialCreationOptions.User(id: ambient.randomBytes(Limits.userHandleBytes))
        let options = ceremonies.creationOptions(
            at: party, for: user, CeremonyBinding(.siteRegistration), isConditional: isUpgrade)
        return PasskeyOptions(publicKey: options.json, mediation: isUpgrade ? PasskeyOptions.conditional : nil)
    }

    /// Checks the answer. The passkey cannot be used until a backend redeems the token.
    ///
    /// - Throws: ``SiteProblem/passkey(_:)``; ``StoreError``.
    public func finishRegistration(_ answer: JSONValue, at party: RelyingParty) async throws -> PasskeyToken {
        do {
            let response = try RegistrationResponse(answer: answer)
            let answered = try ceremonies.answered(
                response.unverifiedChallenge, .registration, at: party, CeremonyBinding(.siteRegistration))
            // Used up before it is checked: it is not answered twice in any case.
            guard try await ceremonies.spent.spend(answered.mark) else { throw PasskeyProblem.challengeSpent }
            return tokens.token(for: try await ceremonies.judge(response, answered, at: party))
        } catch let problem as PasskeyProblem {
            throw refused(problem, at: party)
        }
    }

    /// The options for a sign-in.
    ///
    /// - Parameters:
    ///   - user: `nil`: any user of the authenticator, offered in the name field.
    ///   - address: where the page or app asks from.
    /// - Throws: ``SiteProblem/nameInvalid``; ``SiteProblem/tooManyRequests(retryAfterSeconds:)``; ``StoreError``.
    public func beginAuthentication(_ user: PasskeyUser?, at party: RelyingParty, from address: NetworkAddress?)
        async throws -> PasskeyOptions
    {
        try await limits.chargeCeremony(at: party, from: address, at: ambient.now())
        guard let user else {
            let options = ceremonies.requestOptions(at: party, CeremonyBinding(.siteAuthentication), isQuiet: true)
            return PasskeyOptions(publicKey: options.json, mediation: PasskeyOptions.conditional)
        }
        guard let selector = names.selector(user, at: party) else { throw SiteProblem.nameInvalid }
        let known = try await store.passkeys(of: selector, at: party.id).filter(\.isActive)
        // Always computed, so that the time is the same.
        let decoys = decoys.descriptors(for: selector.bytes, at: party)
        let options = ceremonies.requestOptions(
            at: party, Self.binding(selector), allowing: known.isEmpty ? decoys : known.map(\.record.descriptor))
        return PasskeyOptions(publicKey: options.json)
    }

    /// Checks the answer.
    ///
    /// - Parameter user: the same as at the beginning.
    /// - Throws: ``SiteProblem/passkey(_:)``, ``SiteProblem/nameInvalid``; ``StoreError``.
    public func finishAuthentication(_ answer: JSONValue, _ user: PasskeyUser?, at party: RelyingParty)
        async throws -> PasskeyToken
    {
        var selector: SiteUserSelector?
        if let user {
            selector = names.selector(user, at: party)
            if selector == nil { throw SiteProblem.nameInvalid }
        }
        do {
            return try await authenticate(AuthenticationResponse(answer: answer), selector, at: party)
        } catch let problem as PasskeyProblem {
            throw refused(problem, at: party)
        }
    }

    private func authenticate(
        _ response: AuthenticationResponse, _ selector: SiteUserSelector?, at party: RelyingParty
    ) async throws -> PasskeyToken {
        let answered = try ceremonies.answered(
            response.unverifiedChallenge, .authentication, at: party, Self.binding(selector))
        var found = try await store.passkey(response.id, at: party.id)
        if let owned = found, owned.siteUser == nil || selector.map(owned.belongs(to:)) == false { found = nil }
        let assertion = try await ceremonies.accept(
            response, answered, by: found, isNamed: selector != nil, at: party)
        guard let id = found?.passkey.id else { throw PasskeyProblem.credentialUnknown }
        return tokens.token(
            for: .init(passkey: id, isUserVerified: assertion.isUserVerified, at: ambient.now()), at: party)
    }

    private static func binding(_ selector: SiteUserSelector?) -> CeremonyBinding {
        CeremonyBinding(.siteAuthentication, selector.map(\.parts) ?? [])
    }

    private func refused(_ problem: PasskeyProblem, at party: RelyingParty) -> SiteProblem {
        guard problem.isNoteworthy else { return .passkey(problem) }
        audit.recordOnce(AuditEvent(.passkeyRefused, at: ambient.now(), reason: problem.word, target: party.id))
        return .passkey(problem)
    }
}

extension SiteUserSelector {
    /// The parts of a ceremony's binding, and of decoys.
    fileprivate var parts: [String] {
        switch self {
        case .id(let folded): ["id", folded]
        case .exactID(let id): ["exact", id]
        case .username(let digests): ["username", Base64URL.encode(digests.last ?? [])]
        }
    }

    fileprivate var bytes: [UInt8] { Array(parts.joined(separator: ":").utf8) }
}
