public import Authority
public import KeyturnBase
public import Model

extension UserStore {
    public func create(_ account: Account, authenticator: StoredTOTP? = nil) async throws(StoreError) {
        try await create(
            account, authenticator: authenticator,
            by: try MachineAuthority.permit(Acts.CreateAccount.self, on: .newUser))
    }

    public func create(_ account: Account, withAccepted id: [UInt8]) async throws(StoreError) {
        try await create(
            account, withAccepted: id, by: try MachineAuthority.permit(Acts.CreateAccount.self, on: .newUser))
    }

    public func update(_ account: Account, at now: UnixTime) async throws(StoreError) {
        _ = try await change(account.user.id, at: now) { present in
            var wanted = account
            wanted.user.epoch = present.user.epoch
            present = wanted
        }
    }

    public func change(
        _ id: UserID, leaving ways: SignInWays? = nil, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Account) -> Void
    ) async throws(StoreError) -> Account {
        try await change(by: try MachineAuthority.permitChange(of: id), leaving: ways, at: now, rule)
    }

    public func merge(
        asking: UserID, existing: UserID, proved identifier: Identifier, keeping kept: UserMerge.Kept, at now: UnixTime
    ) async throws(StoreError) -> Account {
        try await merge(
            by: try MachineAuthority.permit(Acts.MergeAccounts.self, on: asking),
            with: try MachineAuthority.permit(Acts.GiveUpAccount.self, on: existing), proved: identifier, keeping: kept,
            at: now)
    }

    public func delete(_ id: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await delete(by: try MachineAuthority.permit(Acts.DeleteAccount.self, on: id), at: now)
    }

    public func deleteTestUsers(limit: Int) async throws(StoreError) -> [UserID] {
        try await deleteTestUsers(
            by: try MachineAuthority.permit(Acts.DeleteAccount.self, on: .project(tenant: nil)), limit: limit)
    }
}

extension PasswordStore {
    /// Sets a password by its hash, and ends every session.
    public func set(_ hash: String, of user: UserID, at now: UnixTime) async throws(StoreError) {
        _ = try await set(PasswordChange(hash: hash, origin: .strong, historyMax: 0), of: user, at: now)
    }
}

extension PasskeyStore {
    public func create(_ account: Account, with passkey: StoredPasskey, spending mark: ReplayMark)
        async throws(StoreError) -> PasskeyAddition
    {
        try await create(
            account, with: passkey, spending: mark,
            by: try MachineAuthority.permit(Acts.CreateAccount.self, on: .newUser))
    }
}

extension AnonymousStore {
    public func signUp(
        _ user: User, key: StoredAnonymousKey?, opening grant: Grant, challenge: ReplayMark?,
        charges: [RateLimitCharge], at now: UnixTime
    ) async throws(StoreError) -> AnonymousOpening {
        try await signUp(
            user, key: key, opening: grant, challenge: challenge, charges: charges,
            by: try MachineAuthority.permit(Acts.CreateAccount.self, on: .newUser), at: now)
    }
}

extension ConsoleOperatorStore {
    public func set(
        _ role: ConsoleRole?, of user: UserID, by actor: String, knownBy address: Identifier? = nil, keepingOwner: Bool,
        at now: UnixTime
    ) async throws(StoreError) -> ConsoleRoleChange {
        guard let role else {
            return try await take(
                by: try MachineAuthority.permit(Acts.TakeConsoleRole.self, on: user), keepingOwner: keepingOwner)
        }
        return try await give(
            role, by: try MachineAuthority.permit(Acts.GiveConsoleRole.self, on: user), named: actor, knownBy: address,
            keepingOwner: keepingOwner, at: now)
    }
}

extension UserImportStore {
    public func apply(_ rows: [ImportedUser], _ plan: UserImportPlan, at now: UnixTime) async throws(StoreError)
        -> [UserImport.Outcome]
    {
        try await apply(
            rows, plan, by: try MachineAuthority.permit(Acts.ImportUsers.self, on: .project(tenant: nil)), at: now)
    }
}
