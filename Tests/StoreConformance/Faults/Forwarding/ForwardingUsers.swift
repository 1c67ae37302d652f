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

    func isContact(_ address: Identifier, besides user: UserID?) async throws(StoreError) -> Bool {
        try await base.isContact(address, besides: user)
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

    func create(
        _ account: Account, authenticator: StoredTOTP?, by allowed: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError) {
        try await base.create(account, authenticator: authenticator, by: allowed)
    }

    func create(_ account: Account, withAccepted id: [UInt8], by allowed: consuming Allowed<Acts.CreateAccount>)
        async throws(StoreError)
    {
        try await base.create(account, withAccepted: id, by: allowed)
    }

    func change(
        by allowed: consuming Allowed<Acts.ChangeAccount>, leaving ways: SignInWays?, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Account) -> Void
    ) async throws(StoreError) -> Account {
        try await base.change(by: allowed, leaving: ways, at: now, rule)
    }

    func merge(
        by allowed: consuming Allowed<Acts.MergeAccounts>, with other: consuming Allowed<Acts.GiveUpAccount>,
        proved identifier: Identifier, keeping kept: UserMerge.Kept, at now: UnixTime
    ) async throws(StoreError) -> Account {
        try await base.merge(by: allowed, with: other, proved: identifier, keeping: kept, at: now)
    }

    func rehash(_ id: UserID, from old: String, to new: String) async throws(StoreError) {
        try await base.rehash(id, from: old, to: new)
    }

    func delete(by allowed: consuming Allowed<Acts.DeleteAccount>, at now: UnixTime) async throws(StoreError) -> Bool {
        try await base.delete(by: allowed, at: now)
    }

    func deleteTestUsers(by allowed: consuming Allowed<Acts.DeleteAccount>, limit: Int) async throws(StoreError)
        -> [UserID]
    {
        try await base.deleteTestUsers(by: allowed, limit: limit)
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
