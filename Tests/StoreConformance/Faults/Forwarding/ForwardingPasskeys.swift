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
        _ passkey: StoredPasskey, to user: UserID, epoch: Int64, beside strong: Bool, max: Int,
        spending mark: ReplayMark, at now: UnixTime
    ) async throws(StoreError) -> PasskeyAddition {
        try await base.add(passkey, to: user, epoch: epoch, beside: strong, max: max, spending: mark, at: now)
    }

    func create(_ account: Account, with passkey: StoredPasskey, spending mark: ReplayMark) async throws(StoreError)
        -> PasskeyAddition
    {
        try await base.create(account, with: passkey, spending: mark)
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
        _ id: PasskeyID, of user: UserID, name: String?, isActive: Bool?, leaving ways: SignInWays?,
        at now: UnixTime
    ) async throws(StoreError) -> Bool {
        try await base.change(id, of: user, name: name, isActive: isActive, leaving: ways, at: now)
    }

    func change(_ id: PasskeyID, at relyingParty: String, name: String?, isActive: Bool?) async throws(StoreError)
        -> StoredPasskey?
    {
        try await base.change(id, at: relyingParty, name: name, isActive: isActive)
    }

    func remove(_ id: PasskeyID, of user: UserID, leaving ways: SignInWays?, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        try await base.remove(id, of: user, leaving: ways, at: now)
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

    func removeAll(of user: UserID, at now: UnixTime) async throws(StoreError) -> Int {
        try await base.removeAll(of: user, at: now)
    }
}
