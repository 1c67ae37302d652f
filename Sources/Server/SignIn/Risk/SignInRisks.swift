public import KeyturnBase
public import Model
public import OAuth

/// What was unusual when a user was first verified in a sign-in. Frozen in the sealed transaction: a page that is loaded
/// again does not change it.
public struct SignInRisk: Codable, Hashable, Sendable {
    /// Whose sign-in it is; void for another user.
    public let userID: String
    /// For journeys, sessions and the audit log: compared with trusted sign-ins alone.
    public let signals: Set<RiskSignal>
    /// ISO 3166-1; `nil`: unknown.
    public let country: String?
    /// Whether the user gets a message when the session opens: the sign-in is unlike every earlier one. Not about the very
    /// first, and not about a session that goes on.
    public let isTold: Bool
    /// Whether later sign-ins may be compared with it, even if it used one factor: nothing is unusual, or there is nothing
    /// to compare it with. `nil`: not known.
    let isUsual: Bool?

    /// Of a sign-in that goes on from a session.
    public init(of session: BrowserSession) {
        let signals = session.origin.signals
        self.init(
            session.userID, signals, country: session.origin.country, isTold: false,
            isUsual: signals.isDisjoint(with: RiskRules.toldSignals))
    }

    init(_ user: UserID, _ signals: Set<RiskSignal>, country: String?, isTold: Bool, isUsual: Bool) {
        userID = user.rawValue
        self.signals = signals
        self.country = country
        self.isTold = isTold
        self.isUsual = isUsual
    }

    public func concerns(_ user: UserID) -> Bool { userID == user.rawValue }
}

/// Finds what is unusual about a sign-in, remembers devices and countries, and tells users.
public struct SignInRisks: Sendable {
    private let project: Project
    private let stores: Stores
    private let seal: SignInDisputeSeal
    private let domains: any ProvenDomains
    private let notices: SecurityNotices
    private let audit: any AuditLog
    private let ambient: Ambient

    /// The page of the link in the message.
    public static let disputePath = "/sign-in/dispute"

    package init(
        project: Project, stores: Stores, secrets: ServerSecrets, domains: any ProvenDomains,
        notices: SecurityNotices, audit: any AuditLog, ambient: Ambient
    ) {
        self.project = project
        self.stores = stores
        seal = SignInDisputeSeal(secrets, ambient: ambient)
        self.domains = domains
        self.notices = notices
        self.audit = audit
        self.ambient = ambient
    }

    /// What is unusual, at the moment of the first verification. Writes nothing. One statement.
    ///
    /// - Parameters:
    ///   - device: `nil`: a browser without a mark.
    ///   - found: what the verification itself found.
    public func assess(
        _ user: UserID, on device: DeviceMark?, from address: NetworkAddress?, found: Set<RiskSignal>
    ) async throws(StoreError) -> SignInRisk {
        let now = ambient.now()
        let place = place(of: address)
        let past = try await stores.risks.past(of: user, at: now)
        func signals(_ past: [PastSignIn]) -> Set<RiskSignal> {
            var signals = RiskRules.signals(device: device?.digest(for: user), place: place, past: past, at: now)
            // A key was made on the device that has it.
            if case .key = device { signals.remove(.newDevice) }
            return signals
        }
        let strict = signals(past.filter(\.isTrusted))
        return SignInRisk(
            user, strict.union(found), country: place.country,
            isTold: !past.isEmpty && !signals(past).isDisjoint(with: RiskRules.toldSignals),
            isUsual: past.isEmpty || strict.isDisjoint(with: RiskRules.toldSignals))
    }

    /// A session is open: remembers the device, and tells the user about it if it is unusual.
    ///
    /// - Parameters:
    ///   - facts: of the session. One factor on a device that is not trusted makes it no trusted one.
    ///   - begun: when the session began.
    ///   - startedAt: when the sign-in began.
    public func opened(
        by user: UserID, _ risk: SignInRisk?, _ facts: AuthenticationFacts, on device: DeviceMark,
        from origin: SessionOrigin, begun: UnixTime, startedAt: UnixTime
    ) async throws(StoreError) {
        let address = origin.address.map { NetworkAddress($0) }
        let risk = risk.flatMap { $0.concerns(user) ? $0 : nil }
        try await stores.risks.remember(
            PastSignIn(
                device: device.digest(for: user), place: place(of: address), at: begun,
                isTrusted: facts.areStrong || risk?.isUsual == true), of: user)
        guard project.risk.notifies, let risk, risk.isTold, let account = try await stores.users.account(user)
        else { return }
        let link: @Sendable (Identifier) -> Secret = { [seal, issuer = project.issuer] reader in
            let token = seal.token(for: user, sentTo: reader, signedInAt: begun, startedAt: startedAt)
            return Secret("\(issuer)\(Self.disputePath)?t=\(token.exposed())")
        }
        var origin = origin
        origin.country = risk.country
        await notices.send(
            .newSignIn(dispute: link, expiresAt: begun + Limits.disputeSeconds), to: account, from: origin, at: begun)
    }

    private func place(of address: NetworkAddress?) -> NetworkLocation {
        guard let address, let countries = project.risk.countries else { return .unknown }
        return countries.place(of: address)
    }
}

extension SignInRisks {
    /// The sign-in that a link disputes, and whether it was disputed.
    ///
    /// - Returns: `nil` if this server made no such link, or it is over. Changes nothing.
    public func describe(
        _ token: Secret
    ) async throws(StoreError) -> (dispute: SignInDispute, state: SignInDispute.State)? {
        guard let dispute = try await open(token, at: ambient.now()) else { return nil }
        return (dispute, try await stores.risks.state(of: dispute))
    }

    /// Carries out a dispute: see ``RiskStore/dispute(_:event:at:)``.
    ///
    /// - Parameter address: where the request comes from.
    /// - Returns: whether this call did.
    public func dispute(_ token: Secret, from address: NetworkAddress?) async throws(StoreError) -> Bool {
        let now = ambient.now()
        guard let dispute = try await open(token, at: now) else { return false }
        // An account that only claims an address keeps it from no owner.
        let claims = UnprovedClaims(
            stores: stores, rulebook: project.rulebook, notices: notices, audit: audit, ambient: ambient)
        for address in try await stores.risks.restorable(dispute) {
            try await claims.release(address, for: dispute.userID)
        }
        let before = try await stores.users.account(dispute.userID)
        let isDone = try await stores.risks.dispute(
            dispute,
            event: AuditEvent(.signInDisputed, at: now, userID: dispute.userID, address: address?.text, reason: "link"),
            at: now)
        if isDone, let before { try await tell(before, from: address, at: now) }
        return isDone
    }

    private func open(_ token: Secret, at now: UnixTime) async throws(StoreError) -> SignInDispute? {
        guard var dispute = seal.open(token, at: now) else { return nil }
        for tenant in try await stores.identities.formerTenants(of: dispute.userID) {
            dispute.leftDomains.formUnion(try await domains.names(of: tenant))
        }
        return dispute
    }

    /// Any reader of one mailbox can open the link: every address of the user is told which factors are gone.
    private func tell(_ before: Account, from address: NetworkAddress?, at now: UnixTime) async throws(StoreError) {
        guard let after = try await stores.users.account(before.user.id) else { return }
        var gone: [SecurityNotice] = []
        if before.hasAuthenticator, !after.hasAuthenticator { gone.append(.authenticatorRemoved) }
        if before.hasPasskey, !after.hasPasskey { gone.append(.passkeyRemoved) }
        for notice in gone {
            await notices.send(notice, to: before, from: SessionOrigin(address: address?.text, device: nil), at: now)
        }
    }
}

extension SignInRisks: KeySignInRisks {
    public func signedIn(
        _ user: UserID, _ facts: AuthenticationFacts, byKey key: String, from origin: SessionOrigin, at now: UnixTime
    ) async throws(StoreError) -> Set<RiskSignal> {
        let address = origin.address.map { NetworkAddress($0) }
        let risk = try await assess(user, on: .key(key), from: address, found: [])
        try await opened(by: user, risk, facts, on: .key(key), from: origin, begun: now, startedAt: now)
        return risk.signals
    }
}
