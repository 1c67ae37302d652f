internal import Authority
internal import KeyturnBase
internal import KeyturnWire
public import Model

/// A user's decisions about a device, on the pages.
extension DeviceAuthorizations {
    /// The result of a typed code.
    public enum Found: Sendable {
        case device(DeviceAuthorization)
        /// No device waits with it. One that was already decided counts as none.
        case unknown
        case expired
        /// Too many wrong codes came from this network, or from this user.
        case tooMany(retryAfterSeconds: Int64)
        /// Too many wrong codes came from clients without a session. A signed-in user has tries of their own.
        case strangersAreTooMany
    }

    /// Looks for a device. The try is counted first, and taken back if there is one.
    ///
    /// Without a session there are few tries for each network and not many more for all; a signed-in user has their
    /// own, which others cannot use up.
    public func find(_ code: UserCode, by user: UserID?, from address: NetworkAddress?)
        async throws(StoreError) -> Found
    {
        let now = ambient.now()
        let charges = Self.charges(user, address)
        for charge in charges {
            guard let refilledAt = try await stores.rateLimits.spend([charge], at: now) else { continue }
            audit.recordOnce(
                AuditEvent(
                    .deviceCodeThrottled, at: now, userID: user, address: address?.text,
                    reason: charge.key == Self.strangers ? "strangers" : user == nil ? "network" : "user"))
            guard charge.key != Self.strangers else { return .strangersAreTooMany }
            return .tooMany(retryAfterSeconds: max(1, refilledAt.seconds(since: now)))
        }
        guard let found = try await stores.devices.authorization(userCode: digests.candidates(code)),
            found.decision == .pending
        else { return .unknown }
        // A right code is no guess.
        try await stores.rateLimits.refund(charges.map(\.key), at: now)
        return now < found.expiresAt ? .device(found) : .expired
    }

    /// The device of a page, as it is now.
    public func device(_ id: SecretDigest) async throws(StoreError) -> (DeviceAuthorization, Client)? {
        guard let found = try await stores.devices.authorization(id), let client = clients.client(found.clientID) else {
            return nil
        }
        return (found, client)
    }

    /// What a sign-in must bring before the user can decide.
    public struct NeededSignIn: Hashable, Sendable {
        public let severalFactors: Bool
        /// Whether the present session cannot be made good enough.
        public let isAnew: Bool
    }

    /// Whether the user must sign in, or add a factor, before they can decide; `nil`: no.
    public func neededSignIn(_ device: DeviceAuthorization, _ session: BrowserSession?) async throws(StoreError)
        -> NeededSignIn?
    {
        guard let session, let account = try await stores.users.account(session.userID) else {
            return NeededSignIn(severalFactors: device.needsSeveralFactors, isAnew: false)
        }
        let hasSeveral = session.authentication.methods.contains(AuthenticationMethod.severalFactors)
        let standing = session.authentication.standing(session.openedBy == nil ? .page : .app, at: ambient.now())
        do throws(Denial) {
            try project.rulebook.require(.approveDevice, to: .session(standing), on: account.subject)
        } catch {
            let lacksFactor = error == .missing(.secondFactor)
            return NeededSignIn(
                severalFactors: lacksFactor || device.needsSeveralFactors, isAnew: !lacksFactor || hasSeveral)
        }
        // What would be no sign-in now lets no device in.
        if let lack = try await reuse.missing(session.userID, session.authentication) {
            return NeededSignIn(
                severalFactors: lack == .factor || device.needsSeveralFactors, isAnew: lack == .signIn)
        }
        return device.needsSeveralFactors && !hasSeveral
            ? NeededSignIn(severalFactors: true, isAnew: false) : nil
    }

    /// The user allows the device: it is signed in as they are.
    ///
    /// The consent to a third-party app is remembered, as after the consent page.
    ///
    /// - Parameter shown: the claims that the page named; the operator may list more since.
    public func allow(
        _ device: DeviceAuthorization, client: Client, shown: Set<String>, session: BrowserSession,
        from address: NetworkAddress?
    ) async throws(StoreError) -> DeviceDecision {
        let now = ambient.now()
        let grant = Grant(
            id: .make(ambient), clientID: device.clientID, userID: session.userID, sessionID: session.id,
            scope: device.scope, resources: device.resources, authentication: session.authentication.onOtherDevice,
            nonce: nil, claimsRequest: nil, createdAt: now, idleExpiresAt: now + Limits.deviceCodeSeconds,
            absoluteExpiresAt: now + project.absoluteSeconds)
        let decision = try await stores.devices.allow(device.id, grant, at: now)
        guard decision == .made else { return decision }
        audit.record(
            AuditEvent(
                .deviceAllowed, at: now, userID: session.userID, clientID: device.clientID, sessionID: session.id,
                address: address?.text))
        if !client.isFirstParty {
            var agreed = asked(device, by: client)
            agreed.claims.formIntersection(shown)
            try await stores.consents.remember(
                agreed, redirectURI: nil, of: session.userID, to: client.id, at: now)
            audit.record(
                AuditEvent(
                    .consentGiven, at: now, userID: session.userID, clientID: client.id, sessionID: session.id))
        }
        return decision
    }

    /// What the user of a device is asked to allow.
    public func asked(_ device: DeviceAuthorization, by client: Client) -> Consent {
        let claims = client.isFirstParty ? [] : ClaimRules(client: client).toConsent(nil, scope: device.scope)
        return Consent(
            scope: device.scope, claims: claims, resources: project.othersResources(device.resources))
    }

    /// The user denies the device.
    public func deny(_ device: DeviceAuthorization, session: BrowserSession, from address: NetworkAddress?)
        async throws(StoreError) -> DeviceDecision
    {
        let now = ambient.now()
        let decision = try await stores.devices.deny(device.id, at: now)
        guard decision == .made else { return decision }
        audit.record(
            AuditEvent(
                .deviceDenied, at: now, userID: session.userID, clientID: device.clientID, sessionID: session.id,
                address: address?.text))
        return decision
    }

    private static let strangers = "device-code:strangers"

    private static func charges(_ user: UserID?, _ address: NetworkAddress?) -> [RateLimitCharge] {
        let window = Limits.attemptWindowSeconds
        if let user {
            return [
                RateLimitCharge(
                    "device-code:user:\(user.rawValue)", max: Limits.userCodeTriesPerUserMax, windowSeconds: window)
            ]
        }
        return [
            RateLimitCharge(
                "device-code:network:\(address?.network ?? "unknown")", max: Limits.userCodeTriesPerNetworkMax,
                windowSeconds: window),
            RateLimitCharge(strangers, max: Limits.userCodeTriesOfStrangersMax, windowSeconds: window),
        ]
    }
}
