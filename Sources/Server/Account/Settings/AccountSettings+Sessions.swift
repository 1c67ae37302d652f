public import KeyturnBase
public import Model
internal import OAuth
public import SignIn

/// Where a person is signed in, and the end of it.
extension AccountSettings {
    /// An app that has access.
    public struct SignedInApp: Sendable {
        public let grant: Grant
        /// What the app is called; `nil`: the project's own apps.
        public let name: String?
        /// Where it was let in from, if that session still lives.
        public let origin: SessionOrigin
        /// When it last renewed its access, or got it.
        public let usedAt: UnixTime
    }

    /// A device that a touch signs in on.
    public struct BiometricKey: Sendable {
        public let key: StoredBiometricKey
        /// What the app is called; `nil`: it is gone.
        public let app: String?
    }

    /// A sign that a token of an app was copied.
    public struct CopiedToken: Sendable {
        public let sign: CopiedTokenSign
        /// What the app is called; `nil`: the project's own apps.
        public let app: String?
    }

    /// Everything that an owner is signed in to.
    public struct SignedIn: Sendable {
        /// Other browsers, those used last first.
        public let others: [OpenSession]
        /// Apps, the newest first.
        public let apps: [SignedInApp]
        /// Devices on which a touch is enough, the newest first.
        public let keys: [BiometricKey]
        /// Apps whose tokens were copied in the last ``Limits/copiesShownSeconds``, the newest first.
        public let copies: [CopiedToken]
    }

    /// Where the owner is signed in, apart from this browser; at most ``Limits/sessionsListedMax`` of each kind.
    public func sessions(of owner: AccountOwner) async throws(StoreError) -> SignedIn {
        let now = ambient.now()
        let limit = Limits.sessionsListedMax
        let sessions = try await stores.sessions.sessions(of: owner.userID, limit: limit, at: now)
        let grants = try await stores.grants.grants(of: owner.userID, limit: limit, at: now)
        let origins = Dictionary(sessions.map { ($0.session.id, $0.session.origin) }) { first, _ in first }
        let apps = grants.map { grant in
            SignedInApp(
                grant: grant, name: clients.client(grant.clientID)?.name,
                origin: grant.sessionID.flatMap { origins[$0] } ?? .unknown, usedAt: usedAt(grant, now))
        }
        let keys = try await stores.biometrics.keys(of: owner.userID).map {
            BiometricKey(key: $0, app: clients.client($0.clientID)?.name)
        }
        let copies = try await stores.grants.signsOfCopies(
            of: owner.userID, since: now - Limits.copiesShownSeconds, limit: limit
        ).map { CopiedToken(sign: $0, app: clients.client($0.clientID)?.name) }
        return SignedIn(
            others: sessions.filter { $0.session.id != owner.session.id }, apps: apps, keys: keys, copies: copies)
    }

    /// Each use moves the moment at which an unused grant is over.
    private func usedAt(_ grant: Grant, _ now: UnixTime) -> UnixTime {
        min(now, max(grant.createdAt, grant.idleExpiresAt - project.idleSeconds))
    }

    /// Ends another browser session of the owner, with what came from it, and queues logout notices for its apps.
    ///
    /// - Returns: whether this call ended it. One that is over, or somebody else's, is not ended.
    public func end(_ id: SessionID, by owner: AccountOwner) async throws(StoreError) -> Bool {
        let now = ambient.now()
        guard try await stores.sessions.end(id, of: owner.userID, at: now) else { return false }
        record(.sessionEnded, owner, target: id.rawValue)
        return true
    }

    /// Ends what one app has of the owner, and the biometric keys of that app. If it was the last of that app, it has to ask
    /// again next time.
    ///
    /// - Returns: whether this call ended it. One that is over, or somebody else's, is not ended.
    public func end(_ id: GrantID, by owner: AccountOwner) async throws(StoreError) -> Bool {
        let now = ambient.now()
        let grants = try await stores.grants.grants(of: owner.userID, limit: Limits.sessionsListedMax, at: now)
        guard let grant = grants.first(where: { $0.id == id }),
            try await stores.grants.end(id, of: owner.userID, reason: .revoked, at: now)
        else { return false }
        if !grants.contains(where: { $0.id != id && $0.clientID == grant.clientID }) {
            try await stores.consents.withdraw(from: owner.userID, to: grant.clientID, at: now)
        }
        record(.grantEnded, owner, reason: Grant.EndReason.revoked.rawValue, target: grant.clientID)
        // A key of the app would open it again without a sign-in.
        if clients.client(grant.clientID)?.keepsBiometricKeys != true {
            for key in try await stores.biometrics.keys(of: owner.userID) where key.clientID == grant.clientID {
                _ = try await removeBiometricKey(key.id, by: owner)
            }
        }
        return true
    }

    /// Ends everything that one app has of the owner; at most ``Limits/sessionsListedMax`` grants, one after the other.
    public func endAll(of clientID: String, by owner: AccountOwner) async throws(StoreError) {
        let grants = try await stores.grants.grants(
            of: owner.userID, limit: Limits.sessionsListedMax, at: ambient.now())
        for grant in grants where grant.clientID == clientID { _ = try await end(grant.id, by: owner) }
    }

    /// Has a device forget its owner's touch, and ends what came of it.
    ///
    /// - Returns: whether this call removed it. One that is gone, or somebody else's, is not removed.
    public func removeBiometricKey(_ id: String, by owner: AccountOwner) async throws(StoreError) -> Bool {
        guard try await stores.biometrics.remove(id, of: owner.userID, at: ambient.now()) else { return false }
        record(.biometricRemoved, owner, target: id)
        await methods.codes.core.notices.send(
            .biometricKeyRemoved, to: owner.account, from: owner.origin, at: ambient.now())
        return true
    }

    /// Ends everything but this browser's session: other browsers, and every app.
    public func endOthers(by owner: AccountOwner) async throws(StoreError) {
        try await stores.sessions.endOthers(of: owner.userID, keeping: owner.session.id, at: ambient.now())
        record(.otherSessionsEnded, owner)
    }

    /// Removes the account with everything that belongs to it, and queues logout notices for its apps.
    public func delete(_ owner: AccountOwner) async throws(StoreError) {
        guard try await stores.users.delete(owner.userID, at: ambient.now()) else { return }
        record(.userDeleted, owner)
    }
}
