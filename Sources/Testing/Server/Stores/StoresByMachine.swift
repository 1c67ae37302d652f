public import Authority
public import KeyturnBase
public import Model

/// What tests set up in stores, as a command on the machine does it: with permissions that the rulebook gives to the
/// machine alone. What stores do with other permissions is tested with those.
public enum MachineAuthority {
    private static let rulebook = Rulebook(AuthorityPolicy())
    private static let caller = Caller.machine(.command)

    /// The permission for an act on a user, who is as in this epoch.
    public static func permit<A: SingleAct>(_ act: A.Type, on user: UserID, epoch: Int64 = 0) throws(StoreError)
        -> Allowed<A>
    {
        try permit(act, on: .user(UserStanding(id: user.rawValue, epoch: epoch)))
    }

    /// The permission for an act.
    public static func permit<A: SingleAct>(_ act: A.Type, on subject: Subject) throws(StoreError) -> Allowed<A> {
        try rulebook.permission(act, to: caller, on: subject)
    }

    /// The permission to change whatever there is in an account's row.
    public static func permitChange(of user: UserID) throws(StoreError) -> Allowed<Acts.ChangeAccount> {
        try rulebook.changePermission(
            .changeProfile, .changeAttributes, .changeMemberships, .changeStatus, .acceptInvitation, .addAddress,
            .removeAddress,
            to: caller, on: .user(UserStanding(id: user.rawValue, epoch: 0)))
    }
}

extension PasswordStore {
    public func set(_ change: PasswordChange, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await set(change, by: try MachineAuthority.permit(Acts.SetPassword.self, on: user), at: now)
    }

    public func expire(_ user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await expire(by: try MachineAuthority.permit(Acts.ExpirePassword.self, on: user), at: now)
    }

    public func void(_ user: UserID, keeping reference: SecretDigest?, at now: UnixTime) async throws(StoreError) {
        try await void(
            by: try MachineAuthority.permit(Acts.VoidCredentials.self, on: user), keeping: reference, at: now)
    }
}

extension TOTPStore {
    public func add(
        _ authenticator: StoredTOTP, of owner: AuthenticatorOwner, replaces: Bool, pendingMax: Int,
        expiresAt: UnixTime, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        switch owner {
        case .user(let user):
            return try await add(
                authenticator, by: try MachineAuthority.permit(Acts.AddAuthenticator.self, on: user),
                replaces: replaces, pendingMax: pendingMax, expiresAt: expiresAt, at: now)
        case .signUp(let loginID):
            try await add(authenticator, toSignUpOf: loginID, pendingMax: pendingMax, expiresAt: expiresAt, at: now)
            return true
        }
    }

    public func removeAll(of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await removeAll(by: try MachineAuthority.permit(Acts.RemoveAuthenticator.self, on: user), at: now)
    }
}

extension RecoveryCodeStore {
    public func replace(_ digests: [SecretDigest], of user: UserID, at now: UnixTime) async throws(StoreError) {
        try await replace(
            by: try MachineAuthority.permit(Acts.MakeRecoveryCodes.self, on: user), with: digests, at: now)
    }
}

extension RecoveryStore {
    public func finish(
        _ user: UserID, epoch: Int64, notices: [WaitingMessage], event: AuditEvent, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await finish(
            by: try MachineAuthority.permit(Acts.RemoveAuthenticator.self, on: user), epoch: epoch, notices: notices,
            event: event, at: now)
    }
}

extension BiometricStore {
    public func remove(_ id: String, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await remove(id, by: try MachineAuthority.permit(Acts.RemoveDeviceKey.self, on: user), at: now)
    }

    public func add(
        _ key: StoredBiometricKey, in session: GrantID, challenge: ReplayMark, charge: RateLimitCharge, keysMax: Int,
        at now: UnixTime
    ) async throws(StoreError) -> BiometricAddition {
        try await add(
            key, by: try MachineAuthority.permit(Acts.AddDeviceKey.self, on: key.userID), in: session,
            challenge: challenge, charge: charge, keysMax: keysMax, at: now)
    }
}

extension PasskeyStore {
    /// - Parameter epoch: the user's epoch when it was begun; `strong`: whether the session used a strong factor.
    public func add(
        _ passkey: StoredPasskey, to user: UserID, epoch: Int64, beside strong: Bool, max: Int,
        spending mark: ReplayMark, at now: UnixTime
    ) async throws(StoreError) -> PasskeyAddition {
        let session = SessionStanding(
            .page, isRecent: true, usedStrongFactor: strong, usedSeveralFactors: strong)
        let allowed = try Rulebook(AuthorityPolicy()).permission(
            Acts.AddPasskey.self, to: .session(session), on: .user(UserStanding(id: user.rawValue, epoch: epoch)))
        return try await add(passkey, by: allowed, max: max, spending: mark, at: now)
    }

    public func change(
        _ id: PasskeyID, of user: UserID, name: String?, isActive: Bool?, leaving ways: SignInWays? = nil,
        at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await change(
            id, by: try MachineAuthority.permit(Acts.ChangePasskey.self, on: user), name: name, isActive: isActive,
            leaving: ways, at: now)
    }

    public func remove(_ id: PasskeyID, of user: UserID, leaving ways: SignInWays? = nil, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try await remove(
            id, by: try MachineAuthority.permit(Acts.RemovePasskey.self, on: user), leaving: ways, at: now)
    }

    public func removeAll(of user: UserID, at now: UnixTime) async throws(StoreError) -> Int {
        try await removeAll(by: try MachineAuthority.permit(Acts.RemovePasskey.self, on: user), at: now)
    }
}
