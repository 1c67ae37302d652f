import Authority
import KeyturnBase
import KeyturnWebAuthn
import Model

/// Hands every call on to `base`. A fault conforms, and does one thing otherwise.
protocol ForwardingPasskeyStore: PasskeyStore {
    var base: any PasskeyStore { get }
}

extension ForwardingPasskeyStore {
    func passkey(_ credentialID: [UInt8], at relyingParty: String) async throws(StoreError) -> OwnedPasskey? {
        try await base.passkey(credentialID, at: relyingParty)
    }

    func passkeys(of user: UserID, at relyingParty: String?) async throws(StoreError) -> [StoredPasskey] {
        try await base.passkeys(of: user, at: relyingParty)
    }

    func passkeys(of user: SiteUserSelector, at relyingParty: String) async throws(StoreError) -> [StoredPasskey] {
        try await base.passkeys(of: user, at: relyingParty)
    }

    func add(
        _ passkey: StoredPasskey, by allowed: consuming Allowed<Acts.AddPasskey>, max: Int, spending mark: ReplayMark,
        at now: UnixTime
    ) async throws(StoreError) -> PasskeyAddition {
        try await base.add(passkey, by: allowed, max: max, spending: mark, at: now)
    }

    func create(
        _ account: Account, with passkey: StoredPasskey, spending mark: ReplayMark,
        by allowed: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError) -> PasskeyAddition {
        try await base.create(account, with: passkey, spending: mark, by: allowed)
    }

    func add(_ passkey: StoredPasskey, to user: SiteUser, max: Int, spending mark: ReplayMark, at now: UnixTime)
        async throws(StoreError) -> PasskeyAddition
    {
        try await base.add(passkey, to: user, max: max, spending: mark, at: now)
    }

    func use(_ record: CredentialRecord, of id: PasskeyID, repeats: Bool, spending mark: ReplayMark, at now: UnixTime)
        async throws(StoreError) -> PasskeyUse
    {
        try await base.use(record, of: id, repeats: repeats, spending: mark, at: now)
    }

    func addAll(_ passkeys: [SitePasskey], max: Int, at relyingParty: String) async throws(StoreError)
        -> SitePasskeyRefusal?
    {
        try await base.addAll(passkeys, max: max, at: relyingParty)
    }

    func redeem(_ mark: ReplayMark, for id: PasskeyID, at relyingParty: String) async throws(StoreError) -> (
        siteUser: String, passkey: StoredPasskey
    )? {
        try await base.redeem(mark, for: id, at: relyingParty)
    }

    func change(
        _ id: PasskeyID, by allowed: consuming Allowed<Acts.ChangePasskey>, name: String?, isActive: Bool?,
        leaving ways: SignInWays?, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await base.change(id, by: allowed, name: name, isActive: isActive, leaving: ways, at: now)
    }

    func change(_ id: PasskeyID, at relyingParty: String, name: String?, isActive: Bool?) async throws(StoreError)
        -> StoredPasskey?
    {
        try await base.change(id, at: relyingParty, name: name, isActive: isActive)
    }

    func remove(
        _ id: PasskeyID, by allowed: consuming Allowed<Acts.RemovePasskey>, leaving ways: SignInWays?, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await base.remove(id, by: allowed, leaving: ways, at: now)
    }

    func remove(_ id: PasskeyID, at relyingParty: String) async throws(StoreError) -> Bool {
        try await base.remove(id, at: relyingParty)
    }

    func metadataNumber(of source: String) async throws(StoreError) -> Int64? {
        try await base.metadataNumber(of: source)
    }

    func raiseMetadataNumber(to number: Int64, of source: String) async throws(StoreError) {
        try await base.raiseMetadataNumber(to: number, of: source)
    }

    func removeAll(by allowed: consuming Allowed<Acts.RemovePasskey>, at now: UnixTime) async throws(StoreError) -> Int
    {
        try await base.removeAll(by: allowed, at: now)
    }
}
