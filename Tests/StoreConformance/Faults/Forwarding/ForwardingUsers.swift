import Authority
import KeyturnBase
import Model

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingUserStore: UserStore {
    var base: any UserStore { get }
}

extension ForwardingUserStore {
    func account(_ identifier: Identifier) async throws(StoreError) -> Account? {
        try await base.account(identifier)
    }

    func account(_ id: UserID) async throws(StoreError) -> Account? {
        try await base.account(id)
    }

    func accounts(after last: UserID?, limit: Int) async throws(StoreError) -> [Account] {
        try await base.accounts(after: last, limit: limit)
    }

    func search(_ query: UserQuery) async throws(StoreError) -> [Account] {
        try await base.search(query)
    }

    func count(_ query: UserQuery) async throws(StoreError) -> Int {
        try await base.count(query)
    }

    func create(_ account: Account, authenticator: StoredTOTP?) async throws(StoreError) {
        try await base.create(account, authenticator: authenticator)
    }

    func update(_ account: Account, at now: UnixTime) async throws(StoreError) {
        try await base.update(account, at: now)
    }

    func change(
        _ id: UserID, leaving ways: SignInWays?, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Account) -> Void
    ) async throws(StoreError) -> Account {
        try await base.change(id, leaving: ways, at: now, rule)
    }

    func merge(
        asking: UserID, existing: UserID, proved identifier: Identifier, keeping kept: UserMerge.Kept, at now: UnixTime
    ) async throws(StoreError) -> Account {
        try await base.merge(asking: asking, existing: existing, proved: identifier, keeping: kept, at: now)
    }

    func changePassword(of id: UserID, to hash: String, at now: UnixTime) async throws(StoreError) {
        try await base.changePassword(of: id, to: hash, at: now)
    }

    func rehash(_ id: UserID, from old: String, to new: String) async throws(StoreError) {
        try await base.rehash(id, from: old, to: new)
    }

    func delete(_ id: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.delete(id, at: now)
    }

    func deleteTestUsers(limit: Int) async throws(StoreError) -> [UserID] {
        try await base.deleteTestUsers(limit: limit)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingPasswordStore: PasswordStore {
    var base: any PasswordStore { get }
}

extension ForwardingPasswordStore {
    func state(of user: UserID) async throws(StoreError) -> PasswordState {
        try await base.state(of: user)
    }

    func set(_ change: PasswordChange, by allowed: consuming Allowed<Acts.SetPassword>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try await base.set(change, by: allowed, at: now)
    }

    func expire(by allowed: consuming Allowed<Acts.ExpirePassword>, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.expire(by: allowed, at: now)
    }

    func foreignHash(from start: String) async throws(StoreError) -> String? {
        try await base.foreignHash(from: start)
    }

    func void(
        by allowed: consuming Allowed<Acts.VoidCredentials>, keeping reference: SecretDigest?, at now: UnixTime
    ) async throws(StoreError) {
        try await base.void(by: allowed, keeping: reference, at: now)
    }
}

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingRecoveryStore: RecoveryStore {
    var base: any RecoveryStore { get }
}

extension ForwardingRecoveryStore {
    func begin(
        _ recovery: Recovery, epoch: Int64, cancelledBy digest: SecretDigest, charge: RateLimitCharge,
        notices: [WaitingMessage], event: AuditEvent, at now: UnixTime
    ) async throws(StoreError) -> RecoveryBeginning {
        try await base.begin(
            recovery, epoch: epoch, cancelledBy: digest, charge: charge, notices: notices, event: event, at: now)
    }

    func recovery(of user: UserID, at now: UnixTime) async throws(StoreError) -> Recovery? {
        try await base.recovery(of: user, at: now)
    }

    func describe(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> RecoveryLink? {
        try await base.describe(digest, at: now)
    }

    func cancel(_ digest: SecretDigest, from address: String?, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.cancel(digest, from: address, at: now)
    }

    func finish(
        by allowed: consuming Allowed<Acts.RemoveAuthenticator>, epoch: Int64, notices: [WaitingMessage],
        event: AuditEvent, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await base.finish(by: allowed, epoch: epoch, notices: notices, event: event, at: now)
    }

    func addresses(of user: UserID, provedAfter since: UnixTime) async throws(StoreError) -> Set<Identifier> {
        try await base.addresses(of: user, provedAfter: since)
    }
}
