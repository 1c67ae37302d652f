import Authority
import KeyturnBase
import Model

/// A merge asks the account that asks, and not the one that has the address: whether that one has a second factor or a
/// password.
struct ForgetfulUsers: UserStore {
    private let store: any UserStore

    init(_ store: any UserStore) { self.store = store }

    private static func forgetful(_ account: Account?) -> Account? {
        guard var account, account.identifiers[.init(kind: .email, storedValue: Person.vera.address)] != nil else {
            return account
        }
        (account.hasAuthenticator, account.hasPasskey, account.passwordHash) = (false, false, nil)
        return account
    }

    func account(_ identifier: Identifier) async throws(StoreError) -> Account? {
        Self.forgetful(try await store.account(identifier))
    }

    func account(_ id: UserID) async throws(StoreError) -> Account? { try await store.account(id) }

    func isContact(_ address: Identifier, besides user: UserID?) async throws(StoreError) -> Bool {
        try await store.isContact(address, besides: user)
    }

    func accounts(after last: UserID?, limit: Int) async throws(StoreError) -> [Account] {
        try await store.accounts(after: last, limit: limit)
    }

    func search(_ query: UserQuery) async throws(StoreError) -> [Account] { try await store.search(query) }

    func count(_ query: UserQuery) async throws(StoreError) -> Int { try await store.count(query) }

    func create(
        _ account: Account, authenticator: StoredTOTP?, by allowed: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError) {
        try await store.create(account, authenticator: authenticator, by: allowed)
    }

    func create(_ account: Account, withAccepted id: [UInt8], by allowed: consuming Allowed<Acts.CreateAccount>)
        async throws(StoreError)
    {
        try await store.create(account, withAccepted: id, by: allowed)
    }

    func change(
        by allowed: consuming Allowed<Acts.ChangeAccount>, leaving ways: SignInWays?, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Account) -> Void
    ) async throws(StoreError) -> Account {
        try await store.change(by: allowed, leaving: ways, at: now, rule)
    }

    func merge(
        by allowed: consuming Allowed<Acts.MergeAccounts>, with other: consuming Allowed<Acts.GiveUpAccount>,
        proved identifier: Identifier, keeping kept: UserMerge.Kept, at now: UnixTime
    ) async throws(StoreError) -> Account {
        let rulebook = Rulebook(AuthorityPolicy())
        let machine = Caller.machine(.command)
        let (asking, existing) = (allowed.subject, other.subject)
        do throws(Denial) {
            let asks = try rulebook.permit(Acts.MergeAccounts.self, to: machine, on: asking)
            let gives = try rulebook.permit(Acts.GiveUpAccount.self, to: machine, on: existing)
            return try await merging(asks, gives, identifier, kept, now)
        } catch {
            throw StoreError(.forbidden, cause: error)
        }
    }

    private func merging(
        _ asks: consuming Allowed<Acts.MergeAccounts>, _ gives: consuming Allowed<Acts.GiveUpAccount>,
        _ identifier: Identifier, _ kept: UserMerge.Kept, _ now: UnixTime
    ) async throws(Denial) -> Account {
        do throws(StoreError) {
            return try await store.merge(by: asks, with: gives, proved: identifier, keeping: kept, at: now)
        } catch {
            throw .refused(.overtaken)
        }
    }

    func rehash(_ id: UserID, from old: String, to new: String) async throws(StoreError) {
        try await store.rehash(id, from: old, to: new)
    }

    func delete(by allowed: consuming Allowed<Acts.DeleteAccount>, at now: UnixTime) async throws(StoreError) -> Bool {
        try await store.delete(by: allowed, at: now)
    }

    func deleteTestUsers(by allowed: consuming Allowed<Acts.DeleteAccount>, limit: Int) async throws(StoreError)
        -> [UserID]
    {
        try await store.deleteTestUsers(by: allowed, limit: limit)
    }
}
