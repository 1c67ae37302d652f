public import Authority
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire
public import Model

/// Passkeys of this server's own users.
public struct UserPasskeys: Sendable {
    public let parties: RelyingParties
    let core: VerificationCore
    let ceremonies: PasskeyCeremonies
    let decoys: DecoyCredentials
    let transactions: PasskeyTransactionSeal

    init(parties: RelyingParties, core: VerificationCore, secrets: ServerSecrets) {
        self.parties = parties
        self.core = core
        ceremonies = PasskeyCeremonies(
            store: core.stores.passkeys, spent: core.stores.spent, secrets: secrets, audit: core.audit,
            ambient: core.ambient)
        decoys = DecoyCredentials(secrets)
        transactions = PasskeyTransactionSeal(secrets, ambient: core.ambient)
    }

    var store: any PasskeyStore { core.stores.passkeys }

    /// A user's passkeys, the oldest first.
    public func passkeys(of user: UserID) async throws(StoreError) -> [StoredPasskey] {
        try await store.passkeys(of: user, at: nil)
    }

    /// Removes every passkey of a user, at the operator's request.
    ///
    /// - Parameter actor: the operator, or the operator's key.
    /// - Returns: how many there were.
    public func removeAll(
        of user: UserID, by actor: String, _ allowed: consuming Allowed<Acts.RemovePasskey>
    ) async throws(StoreError) -> Int {
        let count = try await store.removeAll(by: allowed, at: core.ambient.now())
        if count > 0 {
            core.audit.record(
                AuditEvent(
                    .passkeyRemoved, at: core.ambient.now(), userID: user, reason: "all", actor: actor))
            await core.notices.send(.passkeyRemoved, to: user, from: nil, at: core.ambient.now())
        }
        return count
    }

    /// Removes a passkey of a user, at the operator's request.
    ///
    /// - Parameter actor: the operator, or the operator's key.
    /// - Returns: `false` if they have no such passkey.
    public func remove(
        _ id: PasskeyID, of user: UserID, by actor: String, _ allowed: consuming Allowed<Acts.RemovePasskey>
    ) async throws(StoreError) -> Bool {
        guard try await store.remove(id, by: allowed, leaving: nil, at: core.ambient.now()) else { return false }
        core.audit.record(
            AuditEvent(
                .passkeyRemoved, at: core.ambient.now(), userID: user, actor: actor, target: id.rawValue))
        await core.notices.send(.passkeyRemoved, to: user, from: nil, at: core.ambient.now())
        return true
    }

    /// Checks an assertion by one of this server's users.
    ///
    /// - Parameter expected: the user that it must be; `nil`: the answer names the user.
    func authenticate(
        _ response: AuthenticationResponse, _ answered: PasskeyCeremonies.Answered, as expected: UserID?,
        at party: RelyingParty, from address: NetworkAddress?
    ) async throws -> ProvenIdentity {
        do {
            let found = try await store.passkey(response.id, at: party.id)
            var account: Account?
            if case .user(let id) = found?.owner, expected == nil || id == expected {
                // Read before the use is stored: if the passkey is removed meanwhile, that or the epoch shows it.
                account = try await core.stores.users.account(id)
            }
            let isMeant = account?.user.status == .active
            let assertion = try await ceremonies.accept(
                response, answered, by: isMeant ? found : nil, isNamed: expected != nil, at: party)
            guard let account, let found else { throw PasskeyProblem.credentialUnknown }
            guard answered.ticket.beginning?.isBeforeEnd(of: account.user) != true else {
                throw PasskeyProblem.overtaken
            }
            // User verification counts only if it was there at the registration: a thief may have set a PIN since.
            return ProvenIdentity(
                account: account, method: .passkey, isFirst: false,
                isOfTwoFactors: assertion.isUserVerified && found.passkey.record.uvInitialized)
        } catch let problem as PasskeyProblem {
            throw refused(problem, at: party, from: address)
        }
    }

    func refused(_ problem: PasskeyProblem, at party: RelyingParty, from address: NetworkAddress?) -> PasskeyProblem {
        guard problem.isNoteworthy else { return problem }
        core.audit.recordOnce(
            AuditEvent(
                .passkeyRefused, at: core.ambient.now(), address: address?.text, reason: problem.word,
                target: party.id))
        return problem
    }

    /// Notifies the owner of a new passkey, because another person may have added it.
    func added(_ passkey: StoredPasskey, to account: Account, from origin: SessionOrigin) async {
        let now = core.ambient.now()
        core.audit.record(
            AuditEvent(
                .passkeyAdded, at: now, userID: account.user.id, address: origin.address,
                target: passkey.id.rawValue))
        await core.notices.send(.passkeyAdded, to: account, from: origin, at: now)
    }

    /// The user of a new credential, as the device will show it.
    static func user(_ account: Account, handle: [UInt8]) -> PublicKeyCredentialCreationOptions.User {
        let name = account.provedContact ?? account.identifiers.keys.map(\.value).min() ?? ""
        return .init(id: handle, name: name, displayName: account.toldDisplayName ?? name)
    }

    /// All passkeys of one user share one handle, so that a device keeps one for each user.
    func handle(among known: [StoredPasskey]) -> [UInt8] {
        known.first?.record.userHandle ?? makeHandle()
    }

    /// A new handle: random, and text, because a client of the methods' API for Apple's systems reads it as such.
    func makeHandle() -> [UInt8] {
        Array("u\(core.ambient.randomToken(byteCount: Limits.userHandleBytes))".utf8)
    }
}

extension PasskeyAddition {
    /// - Throws: why nothing was added.
    func requireAdded() throws(PasskeyProblem) {
        switch self {
        case .added: return
        case .spent: throw .challengeSpent
        case .taken: throw .credentialTaken
        case .tooMany: throw .tooMany
        case .overtaken, .usernameDiffers, .usernameTaken: throw .overtaken
        }
    }
}

extension UserPasskeys: SignInMethod {
    public static let name = "passkey"
    public static let proves: Set<AuthenticationMethod> = [.passkey]
    public static let places: Set<SignInPlace> = [.first, .second, .both]
    public static let isSetUpByUser = true

    /// Passkeys need a domain that this server's pages have.
    public var isOffered: Bool { parties.own != nil }
}
