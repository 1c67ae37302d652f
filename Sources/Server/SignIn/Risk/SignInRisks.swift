public import KeyturnBase
public import Model

/// What was unusual when a user was first verified in a sign-in. Frozen in the sealed transaction: a page that is loaded
/// again does not change it.
public struct SignInRisk: Codable, Hashable, Sendable {
    /// Whose sign-in it is; void for another user.
    public let userID: String
    public let signals: Set<RiskSignal>
    /// ISO 3166-1; `nil`: unknown.
    public let country: String?
    /// Whether the user gets a message when the session opens: not about the very first sign-in, and not about a session
    /// that goes on.
    public let isTold: Bool

    /// Of a sign-in that goes on from a session.
    public init(of session: BrowserSession) {
        self.init(
            session.userID, session.origin.signals, country: session.origin.country, isTold: false)
    }

    init(_ user: UserID, _ signals: Set<RiskSignal>, country: String?, isTold: Bool) {
        userID = user.rawValue
        self.signals = signals
        self.country = country
        self.isTold = isTold
    }

    public func concerns(_ user: UserID) -> Bool { userID == user.rawValue }
}

/// Finds what is unusual about a sign-in, remembers devices and countries, and tells users.
public struct SignInRisks: Sendable {
    private let project: Project
    private let stores: Stores
    private let seal: SignInDisputeSeal
    private let notices: SecurityNotices
    private let audit: any AuditLog
    private let ambient: Ambient

    /// The page of the link in the message.
    public static let disputePath = "/sign-in/dispute"

    package init(
        project: Project, stores: Stores, secrets: ServerSecrets, notices: SecurityNotices, audit: any AuditLog,
        ambient: Ambient
    ) {
        self.project = project
        self.stores = stores
        seal = SignInDisputeSeal(secrets, ambient: ambient)
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
        let signals = RiskRules.signals(
            device: device?.digest(for: user), place: place, past: past, at: now)
        return SignInRisk(user, signals.union(found), country: place.country, isTold: !past.isEmpty)
    }

    /// A session is open: remembers the device, and tells the user about it if it is unusual.
    ///
    /// - Parameter begun: when the session began.
    public func opened(
        by user: UserID, _ risk: SignInRisk?, on device: DeviceMark, from origin: SessionOrigin, begun: UnixTime
    ) async throws(StoreError) {
        let address = origin.address.map { NetworkAddress($0) }
        try await stores.risks.remember(
            PastSignIn(device: device.digest(for: user), place: place(of: address), at: begun), of: user)
        guard project.risk.notifies, let risk, risk.isTold, risk.concerns(user),
            !risk.signals.isDisjoint(with: RiskRules.toldSignals),
            let account = try await stores.users.account(user)
        else { return }
        let token = seal.token(for: user, signedInAt: begun)
        var origin = origin
        origin.country = risk.country
        await notices.send(
            .newSignIn(
                dispute: Secret("\(project.issuer)\(Self.disputePath)?t=\(token.exposed())"),
                expiresAt: begun + Limits.disputeSeconds), to: account, from: origin, at: begun)
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
    public func describe(_ token: Secret) async throws(StoreError) -> (dispute: SignInDispute, isDone: Bool)? {
        guard let dispute = seal.open(token, at: ambient.now()) else { return nil }
        return (dispute, try await stores.risks.isDisputed(dispute))
    }

    /// Carries out a dispute: see ``RiskStore/dispute(_:event:at:)``.
    ///
    /// - Parameter address: where the request comes from.
    /// - Returns: whether this call did.
    public func dispute(_ token: Secret, from address: NetworkAddress?) async throws(StoreError) -> Bool {
        let now = ambient.now()
        guard let dispute = seal.open(token, at: now) else { return false }
        return try await stores.risks.dispute(
            dispute,
            event: AuditEvent(.signInDisputed, at: now, userID: dispute.userID, address: address?.text, reason: "link"),
            at: now)
    }
}
