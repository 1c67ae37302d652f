public import Authority
public import KeyturnBase
internal import KeyturnWire
public import Model
package import SignIn

/// How a user gets in: sessions, methods, resets and invitations, as operators see and change them. Each change is one
/// audit event that names the operator.
public struct ManagedUserAccess: Sendable {
    let users: ManagedUsers
    let settings: AccountSettings
    let methods: SignInMethods
    let connections: ConnectionDirectory
    let stores: Stores
    let notices: SecurityNotices
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        users: ManagedUsers, settings: AccountSettings, methods: SignInMethods, connections: ConnectionDirectory,
        stores: Stores, notices: SecurityNotices, audit: any AuditLog, ambient: Ambient
    ) {
        self.users = users
        self.settings = settings
        self.methods = methods
        self.connections = connections
        self.stores = stores
        self.notices = notices
        self.audit = audit
        self.ambient = ambient
    }

    /// The methods that a user has.
    public struct Methods: Sendable {
        /// `nil`: there is no password.
        public let password: Password?
        public let authenticators: [AccountSettings.Authenticator]
        /// How many are left.
        public let recoveryCodes: Int
        /// The oldest first.
        public let passkeys: [StoredPasskey]
        public let identities: [Identity]

        /// What is known of a password.
        public struct Password: Sendable {
            /// `nil`: not recorded.
            public let setAt: UnixTime?
            /// Whether it permits only its own replacement.
            public let mustReplace: Bool
        }

        /// An identity at a provider.
        public struct Identity: Sendable {
            public let identity: FederatedIdentity
            /// The connection's name; `nil`: the connection is gone.
            public let provider: String?
        }
    }

    /// Reads a user's methods.
    public func methods(of account: Account) async throws(StoreError) -> Methods {
        let user = account.user.id
        var password: Methods.Password?
        if account.passwordHash != nil {
            let state = try await stores.passwords.state(of: user)
            password = Methods.Password(setAt: state.setAt, mustReplace: state.mustReplace)
        }
        let identities = try await stores.identities.identities(of: user).map {
            Methods.Identity(identity: $0, provider: connections.connection($0.key.connectionID)?.name)
        }
        return Methods(
            password: password, authenticators: try await settings.authenticators(of: user),
            recoveryCodes: try await stores.recoveryCodes.count(of: user),
            passkeys: try await methods.passkeys.passkeys(of: user), identities: identities)
    }

    /// Where a user is signed in; at most ``Limits/sessionsListedMax`` of each kind.
    public func sessions(of user: UserID) async throws(StoreError) -> AccountSettings.SignedIn {
        try await settings.sessions(of: user)
    }

    /// Ends a browser session of a user with what came from it, and queues the logout notices.
    ///
    /// - Returns: whether this call ended it. A session that is over, or another user's, is not ended.
    public func end(_ id: SessionID, of account: Account, by actor: Actor) async throws -> Bool {
        try require(.endSessions, on: account, by: actor)
        let user = account.user.id
        guard try await stores.sessions.end(id, of: user, at: ambient.now()) else { return false }
        record(.sessionEnded, user, target: id.rawValue, by: actor)
        return true
    }

    /// Ends a sign-in to an app, and removes the app's biometric keys, which would open it again. What the user allowed
    /// the app stays.
    ///
    /// - Returns: whether this call ended it. A grant that is over, or another user's, is not ended.
    public func end(_ id: GrantID, of account: Account, by actor: Actor) async throws -> Bool {
        try require(.endSessions, on: account, by: actor)
        let user = account.user.id
        let now = ambient.now()
        guard let grant = try await stores.grants.live(id, at: now)?.grant, grant.userID == user else { return false }
        let keys = try await stores.biometrics.keys(of: user).filter { $0.clientID == grant.clientID }
        // Before anything is done: the keys would open the session again.
        if !keys.isEmpty { try require(.removeDeviceKey, on: account, by: actor) }
        guard try await stores.grants.end(id, of: user, reason: .administrator, at: now) else { return false }
        audit.record(
            AuditEvent(
                .grantEnded, at: now, userID: user, clientID: grant.clientID, sessionID: grant.tokenSessionID,
                reason: Grant.EndReason.administrator.rawValue, actor: actor.name, target: grant.clientID))
        for key in keys {
            _ = try await removeBiometricKey(key.id, of: account, by: actor)
        }
        return true
    }

    /// Ends all sessions of a user's browsers and apps.
    public func endAll(of account: Account, by actor: Actor) async throws {
        _ = try await users.logout(MethodBody(["userId": .string(account.user.id.rawValue)]), by: actor)
    }

    /// Removes the biometric key of a device, and ends its sessions.
    ///
    /// - Returns: whether this call removed it. A key that is gone, or another user's, is not removed.
    public func removeBiometricKey(_ id: String, of account: Account, by actor: Actor) async throws -> Bool {
        let allowed = try permit(Acts.RemoveDeviceKey.self, on: account, by: actor)
        let (user, now) = (account.user.id, ambient.now())
        guard try await stores.biometrics.remove(id, by: allowed, at: now) else { return false }
        record(.biometricRemoved, user, target: id, by: actor)
        await notices.send(.biometricKeyRemoved, to: user, from: nil, at: now)
        return true
    }

    func permit<A: SingleAct>(_ act: A.Type, on account: Account, by actor: Actor) throws(Denial) -> Allowed<A> {
        try users.project.rulebook.permit(act, to: actor.caller, on: account.subject)
    }

    func require(_ act: Act, on account: Account, by actor: Actor) throws(Denial) {
        try users.project.rulebook.require(act, to: actor.caller, on: account.subject)
    }

    func record(
        _ kind: AuditEvent.Kind, _ user: UserID, reason: String? = nil, target: String? = nil,
        changes: AuditChanges? = nil, by actor: Actor
    ) {
        audit.record(
            AuditEvent(
                kind, at: ambient.now(), userID: user, reason: reason, actor: actor.name, target: target,
                changes: changes))
    }
}
