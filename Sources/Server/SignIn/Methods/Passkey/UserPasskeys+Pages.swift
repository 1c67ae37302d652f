internal import Authority
public import KeyturnBase
public import KeyturnWebAuthn
public import KeyturnWire
public import Model

/// Ceremonies on this server's pages.
extension UserPasskeys {
    /// The options for a sign-in page, in the name field or behind a button: any passkey of the device.
    ///
    /// - Parameter browser: the mark of the browser that gets the page; the answer is accepted from that browser only.
    /// - Returns: `nil` if this server is at an address that cannot have passkeys.
    public func beginSignIn(in browser: String) -> PublicKeyCredentialRequestOptions? {
        parties.own.map { ceremonies.requestOptions(at: $0, CeremonyBinding(.page, [browser]), isQuiet: true) }
    }

    /// Verifies the answer, and says which user signed in.
    ///
    /// - Throws: ``PasskeyProblem``; ``StoreError``.
    public func finishSignIn(_ answer: JSONValue, in browser: String, from address: NetworkAddress?)
        async throws -> ProvenIdentity
    {
        try await finish(answer, CeremonyBinding(.page, [browser]), as: nil, from: address)
    }

    /// Whether a user has any passkey for this server's pages, active or not.
    public func hasAny(_ user: UserID) async throws(StoreError) -> Bool {
        guard let party = parties.own else { return false }
        return try await !store.passkeys(of: user, at: party.id).isEmpty
    }

    /// Whether a user has an active passkey for this server's pages.
    public func hasUsable(_ user: UserID) async throws(StoreError) -> Bool {
        guard let party = parties.own else { return false }
        return try await store.passkeys(of: user, at: party.id).contains(where: \.isActive)
    }

    /// The options for a further verification of a known user: their own passkeys.
    ///
    /// - Returns: `nil` if none of them can be used on this server's pages.
    public func beginProof(of account: Account, in browser: String) async throws(StoreError)
        -> PublicKeyCredentialRequestOptions?
    {
        guard account.hasPasskey, let party = parties.own else { return nil }
        let active = try await store.passkeys(of: account.user.id, at: party.id).filter(\.isActive)
        guard !active.isEmpty else { return nil }
        return ceremonies.requestOptions(
            at: party, Self.binding(account, browser), allowing: active.map(\.record.descriptor),
            epoch: account.user.epoch)
    }

    /// Verifies the known user once more.
    ///
    /// - Throws: ``PasskeyProblem``; ``StoreError``.
    public func finishProof(
        _ answer: JSONValue, of account: Account, in browser: String, from address: NetworkAddress?
    ) async throws -> ProvenIdentity {
        try await finish(answer, Self.binding(account, browser), as: account.user.id, from: address)
    }

    private func finish(
        _ answer: JSONValue, _ binding: CeremonyBinding, as expected: UserID?, from address: NetworkAddress?
    ) async throws -> ProvenIdentity {
        guard let party = parties.own else { throw PasskeyProblem.challengeUnknown }
        let response = try AuthenticationResponse(answer: answer)
        let answered: PasskeyCeremonies.Answered
        do throws(PasskeyProblem) {
            answered = try ceremonies.answered(
                response.unverifiedChallenge, .authentication, at: party, binding, from: parties.pageOrigin)
        } catch {
            throw refused(error, at: party, from: address)
        }
        return try await authenticate(response, answered, as: expected, at: party, from: address)
    }

    /// The options for creating another passkey of the owner.
    ///
    /// - Parameter isUpgrade: without a prompt, right after a sign-in with another method.
    /// - Returns: `nil` if this server is at an address that cannot have passkeys.
    public func beginAdding(to owner: AccountOwner, isUpgrade: Bool = false) async throws(StoreError)
        -> PasskeyOptions?
    {
        guard let party = parties.own else { return nil }
        let known = try await store.passkeys(of: owner.userID, at: party.id)
        let options = ceremonies.creationOptions(
            at: party, for: Self.user(owner.account, handle: handle(among: known)), Self.binding(owner),
            excluding: known, isConditional: isUpgrade)
        return PasskeyOptions(publicKey: options.json, mediation: isUpgrade ? PasskeyOptions.conditional : nil)
    }

    /// Adds the passkey that the owner's device made.
    ///
    /// - Throws: ``PasskeyProblem``; ``StoreError``.
    public func finishAdding(_ answer: JSONValue, to owner: AccountOwner) async throws -> StoredPasskey {
        guard let party = parties.own else { throw PasskeyProblem.challengeUnknown }
        do {
            let response = try RegistrationResponse(answer: answer)
            let answered = try ceremonies.answered(
                response.unverifiedChallenge, .registration, at: party, Self.binding(owner), from: parties.pageOrigin)
            let passkey = try await ceremonies.register(response, answered, at: party)
            try await store.add(
                passkey, by: try permission(Acts.AddPasskey.self, owner), max: Limits.passkeysOfUserMax,
                spending: answered.mark, at: core.ambient.now()
            ).requireAdded()
            await added(passkey, to: owner.account, from: owner.origin)
            // With user verification the session has used that factor.
            if passkey.record.uvInitialized {
                try await core.stores.sessions.strengthen(
                    owner.session, by: .passkey, isOfTwoFactors: true, at: core.ambient.now())
            }
            return passkey
        } catch let problem as PasskeyProblem {
            throw refused(problem, at: party, from: owner.address)
        }
    }

    /// Renames a passkey of the owner.
    ///
    /// - Returns: `false` if there is no such passkey, or the name is not permitted.
    public func rename(_ id: PasskeyID, to name: String, of owner: AccountOwner) async throws(StoreError) -> Bool {
        guard let name = PasskeyName(name) else { return false }
        return try await change(id, of: owner, name: name.text, isActive: nil)
    }

    /// The result of deactivating or removing a passkey.
    public enum Removal: Hashable, Sendable {
        case done
        /// There is no such passkey.
        case unknown
        /// The owner could not sign in without it.
        case isOnlyWay
    }

    /// Activates a passkey of the owner, or deactivates it.
    ///
    /// - Parameter ways: one of them stays open.
    public func setActive(_ isActive: Bool, _ id: PasskeyID, of owner: AccountOwner, leaving ways: SignInWays)
        async throws(StoreError) -> Removal
    {
        if try await change(id, of: owner, name: nil, isActive: isActive, leaving: ways) { return .done }
        return try await passkeys(of: owner.userID).contains { $0.id == id } ? .isOnlyWay : .unknown
    }

    /// Removes a passkey of the owner.
    ///
    /// - Parameter ways: one of them stays open.
    public func remove(_ id: PasskeyID, of owner: AccountOwner, leaving ways: SignInWays) async throws(StoreError)
        -> Removal
    {
        let now = core.ambient.now()
        guard try await store.remove(id, by: try permission(Acts.RemovePasskey.self, owner), leaving: ways, at: now)
        else {
            return try await passkeys(of: owner.userID).contains { $0.id == id } ? .isOnlyWay : .unknown
        }
        core.audit.record(
            AuditEvent(
                .passkeyRemoved, at: now, userID: owner.userID, address: owner.address?.text, target: id.rawValue))
        await core.notices.send(.passkeyRemoved, to: owner.account, from: owner.origin, at: now)
        return .done
    }

    /// Whether the owner can sign in only with this passkey: what a page says before it is removed.
    public func isOnlyWay(_ id: PasskeyID, of owner: AccountOwner, among ways: SignInWays) async throws(StoreError)
        -> Bool
    {
        let active = try await passkeys(of: owner.userID).filter(\.isActive)
        guard active.contains(where: { $0.id == id }) else { return false }
        var rest = owner.account
        rest.hasPasskey = active.count > 1
        let linked = try await core.stores.identities.identities(of: owner.userID).map(\.key.connectionID)
        return !ways.areOpen(to: rest, linked: Set(linked))
    }

    private func change(
        _ id: PasskeyID, of owner: AccountOwner, name: String?, isActive: Bool?, leaving ways: SignInWays? = nil
    ) async throws(StoreError) -> Bool {
        let now = core.ambient.now()
        guard
            try await store.change(
                id, by: try permission(Acts.ChangePasskey.self, owner), name: name, isActive: isActive, leaving: ways,
                at: now)
        else { return false }
        core.audit.record(
            AuditEvent(
                .passkeyChanged, at: now, userID: owner.userID, address: owner.address?.text,
                reason: name != nil ? "renamed" : isActive == true ? "activated" : "deactivated", target: id.rawValue))
        if let isActive {
            await core.notices.send(
                isActive ? .passkeyAdded : .passkeyRemoved, to: owner.account, from: owner.origin, at: now)
        }
        return true
    }

    private func permission<A: SingleAct>(_ act: A.Type, _ owner: AccountOwner) throws(StoreError) -> Allowed<A> {
        try core.rulebook.permission(
            act, to: .session(owner.standing(at: core.ambient.now())), on: owner.account.subject)
    }

    private static func binding(_ account: Account, _ browser: String) -> CeremonyBinding {
        CeremonyBinding(.page, [browser, account.user.id.rawValue, String(account.user.epoch)])
    }

    private static func binding(_ owner: AccountOwner) -> CeremonyBinding {
        CeremonyBinding(
            .settings, [owner.session.id.rawValue, owner.userID.rawValue, String(owner.account.user.epoch)])
    }
}
