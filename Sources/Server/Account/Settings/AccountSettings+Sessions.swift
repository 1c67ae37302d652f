internal import Authority
public import KeyturnBase
public import Model
internal import OAuth
public import SignIn

/// Where a user is signed in, and signing out there.
extension AccountSettings {
    /// An app that has access.
    public struct SignedInApp: Sendable {
        public let grant: Grant
        /// The app's name; `nil`: the project's own apps.
        public let name: String?
        /// Claims that the user agreed to by name, beside those of the app's scopes.
        public let claims: Set<String>
        /// The services that its tokens may be for: those of the sign-in, and those that the user agreed to.
        public let resources: Set<String>
        /// Where its session was opened, if that is still alive.
        public let origin: SessionOrigin
        /// When it last renewed its access, or got it.
        public let usedAt: UnixTime
    }

    /// A device that signs in with a fingerprint or face.
    public struct BiometricKey: Sendable {
        public let key: StoredBiometricKey
        /// The app's name; `nil`: the app no longer exists.
        public let app: String?
    }

    /// A sign that a token of an app was copied.
    public struct CopiedToken: Sendable {
        public let sign: CopiedTokenSign
        /// The app's name; `nil`: the project's own apps.
        public let app: String?
    }

    /// All places where an owner is signed in.
    public struct SignedIn: Sendable {
        /// Browsers, the last used first: of an owner, the other ones.
        public var others: [OpenSession]
        /// Apps, the newest first.
        public let apps: [SignedInApp]
        /// Apps of others that the user allowed something, and that have no sign-in now.
        public let allowed: [AllowedApp]
        /// Devices that sign in with a fingerprint or face, the newest first.
        public let keys: [BiometricKey]
        /// Apps whose tokens were copied in the last ``Limits/copiesShownSeconds``, the newest first.
        public let copies: [CopiedToken]
    }

    /// What the user allowed an app that has no sign-in now.
    public struct AllowedApp: Sendable {
        public let clientID: String
        /// `nil`: the client is gone.
        public let name: String?
        public let consent: Consent
    }

    /// Where the owner is signed in, apart from this browser; at most ``Limits/sessionsListedMax`` of each kind.
    public func sessions(of owner: AccountOwner) async throws(StoreError) -> SignedIn {
        var signedIn = try await sessions(of: owner.userID)
        signedIn.others.removeAll { $0.session.id == owner.session.id }
        return signedIn
    }

    /// Where a user is signed in; at most ``Limits/sessionsListedMax`` of each kind.
    package func sessions(of user: UserID) async throws(StoreError) -> SignedIn {
        let now = ambient.now()
        let limit = Limits.sessionsListedMax
        let sessions = try await stores.sessions.sessions(of: user, limit: limit, at: now)
        let grants = try await stores.grants.grants(of: user, limit: limit, at: now)
        let origins = Dictionary(sessions.map { ($0.session.id, $0.session.origin) }) { first, _ in first }
        var consented: [String: Consent] = [:]
        for id in Set(grants.map(\.clientID)) where clients.client(id)?.isFirstParty == false {
            consented[id] = try await stores.consents.consent(of: user, to: id)
        }
        let apps = grants.map { grant in
            let agreed = consented[grant.clientID] ?? Consent.none
            return SignedInApp(
                grant: grant, name: clients.client(grant.clientID)?.name, claims: agreed.claims,
                resources: agreed.resources.union(project.othersResources(grant.resources)),
                origin: grant.sessionID.flatMap { origins[$0] } ?? .unknown, usedAt: usedAt(grant, now))
        }
        let keys = try await stores.biometrics.keys(of: user).map {
            BiometricKey(key: $0, app: clients.client($0.clientID)?.name)
        }
        let copies = try await stores.grants.signsOfCopies(
            of: user, since: now - Limits.copiesShownSeconds, limit: limit
        ).map { CopiedToken(sign: $0, app: clients.client($0.clientID)?.name) }
        let allowed = try await allowed(by: user, besides: Set(grants.map(\.clientID)))
        return SignedIn(others: sessions, apps: apps, allowed: allowed, keys: keys, copies: copies)
    }

    private func allowed(by user: UserID, besides signedIn: Set<String>) async throws(StoreError) -> [AllowedApp] {
        var allowed: [AllowedApp] = []
        for id in try await stores.consents.clients(of: user) where !signedIn.contains(id) {
            let consent = try await stores.consents.consent(of: user, to: id)
            allowed.append(AllowedApp(clientID: id, name: clients.client(id)?.name, consent: consent))
        }
        return allowed
    }

    /// Computed from the idle expiry, which each use moves.
    private func usedAt(_ grant: Grant, _ now: UnixTime) -> UnixTime {
        min(now, max(grant.createdAt, grant.idleExpiresAt - project.idleSeconds))
    }

    /// Ends another browser session of the owner, with its grants, and queues logout notices for its apps.
    ///
    /// - Returns: whether this call ended it. A session that is over, or another user's, is not ended.
    public func end(_ id: SessionID, by owner: AccountOwner) async throws(StoreError) -> Bool {
        try requireEnding(owner)
        let now = ambient.now()
        guard try await stores.sessions.end(id, of: owner.userID, at: now) else { return false }
        record(.sessionEnded, owner, target: id.rawValue)
        return true
    }

    /// Ends one grant of an app, and the app's biometric keys. If it was the app's last one, the app must ask for
    /// consent again next time.
    ///
    /// - Returns: whether this call ended it. A grant that is over, or another user's, is not ended.
    public func end(_ id: GrantID, by owner: AccountOwner) async throws(StoreError) -> Bool {
        try requireEnding(owner)
        let now = ambient.now()
        guard let grant = try await stores.grants.live(id, at: now)?.grant, grant.userID == owner.userID,
            try await stores.grants.end(id, of: owner.userID, reason: .revoked, at: now)
        else { return false }
        // Each app with a sign-in that is left is among these.
        let left = try await stores.grants.grants(of: owner.userID, limit: Limits.sessionsListedMax, at: now)
        if !left.contains(where: { $0.clientID == grant.clientID }) {
            try await stores.consents.withdraw(from: owner.userID, to: grant.clientID, at: now)
        }
        recordEnd(of: grant.clientID, owner, session: grant.tokenSessionID)
        try await removeKeys(of: grant.clientID, by: owner)
        return true
    }

    /// Ends all grants of one app, what the user allowed it, and its biometric keys.
    public func endAll(of clientID: String, by owner: AccountOwner) async throws(StoreError) {
        try requireEnding(owner)
        let now = ambient.now()
        // First: the app could otherwise come back between the two without a question.
        try await stores.consents.withdraw(from: owner.userID, to: clientID, at: now)
        let ended = try await stores.grants.endAll(of: owner.userID, clientID: clientID, reason: .revoked, at: now)
        if ended > 0 { recordEnd(of: clientID, owner, session: nil) }
        try await removeKeys(of: clientID, by: owner)
    }

    private func recordEnd(of clientID: String, _ owner: AccountOwner, session: SessionID?) {
        audit.record(
            AuditEvent(
                .grantEnded, at: ambient.now(), userID: owner.userID, clientID: clientID, sessionID: session,
                address: owner.address?.text, reason: Grant.EndReason.revoked.rawValue, target: clientID))
    }

    /// A key of an app would get a new grant without a sign-in.
    private func removeKeys(of clientID: String, by owner: AccountOwner) async throws(StoreError) {
        guard clients.client(clientID)?.keepsBiometricKeys != true else { return }
        for key in try await stores.biometrics.keys(of: owner.userID) where key.clientID == clientID {
            _ = try await removeBiometricKey(key.id, by: owner)
        }
    }

    /// Removes the biometric key of a device, and ends its sessions.
    ///
    /// - Returns: whether this call removed it. A key that is gone, or another user's, is not removed.
    public func removeBiometricKey(_ id: String, by owner: AccountOwner) async throws(StoreError) -> Bool {
        let allowed = try permission(Acts.RemoveDeviceKey.self, owner)
        guard try await stores.biometrics.remove(id, by: allowed, at: ambient.now()) else { return false }
        record(.biometricRemoved, owner, target: id)
        await methods.codes.core.notices.send(
            .biometricKeyRemoved, to: owner.account, from: owner.origin, at: ambient.now())
        return true
    }

    /// Ends everything but this browser's session: other browsers, and every app.
    public func endOthers(by owner: AccountOwner) async throws(StoreError) {
        try requireEnding(owner)
        try await stores.sessions.endOthers(of: owner.userID, keeping: owner.session.id, at: ambient.now())
        record(.otherSessionsEnded, owner)
    }

    /// Whether the owner may end other sessions than this one.
    public func mayEnd(_ owner: AccountOwner) -> Bool {
        project.rulebook.allows(
            .endSessions, to: .session(owner.standing(at: ambient.now())), on: owner.account.subject)
    }

    private func requireEnding(_ owner: AccountOwner) throws(StoreError) {
        guard mayEnd(owner) else { throw StoreError(.forbidden) }
    }

    /// Removes the account with everything that belongs to it, and queues logout notices for its apps. The owner is told.
    public func delete(_ owner: AccountOwner) async throws(StoreError) {
        let allowed = try permission(Acts.DeleteAccount.self, owner)
        guard try await stores.users.delete(by: allowed, at: ambient.now()) else { return }
        record(.userDeleted, owner)
        await tell(.accountDeleted, owner)
    }
}
