public import KeyturnBase
public import KeyturnWebAuthn
public import KeyturnWire

/// Ceremonies on pages of this server.
extension UserPasskeys {
    /// What the sign-in page offers where names are typed, or behind a button: whatever passkey the device has.
    ///
    /// - Parameter browser: the mark of the browser that gets the page; the answer counts in that one alone.
    /// - Returns: `nil` if this server is at an address that has no passkeys.
    public func beginSignIn(in browser: String) -> PublicKeyCredentialRequestOptions? {
        parties.own.map { ceremonies.requestOptions(at: $0, CeremonyBinding(.page, [browser])) }
    }

    /// Who answered.
    ///
    /// - Throws: ``PasskeyProblem``; ``StoreError``.
    public func finishSignIn(_ answer: JSONValue, in browser: String, from address: NetworkAddress?)
        async throws -> ProvenIdentity
    {
        guard let party = parties.own else { throw PasskeyProblem.challengeUnknown }
        let response = try AuthenticationResponse(answer: answer)
        let answered: PasskeyCeremonies.Answered
        do throws(PasskeyProblem) {
            answered = try ceremonies.answered(
                response.unverifiedChallenge, .authentication, at: party, CeremonyBinding(.page, [browser]))
        } catch {
            throw refused(error, at: party, from: address)
        }
        return try await authenticate(response, answered, as: nil, at: party, from: address)
    }

    /// What the owner's device needs to make another passkey.
    ///
    /// - Parameter isUpgrade: quietly, right after a sign-in by other means: nobody needs to touch anything.
    /// - Returns: `nil` if this server is at an address that has no passkeys.
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
                response.unverifiedChallenge, .registration, at: party, Self.binding(owner))
            let passkey = try await ceremonies.register(response, answered, at: party)
            try await store.add(
                passkey, to: owner.userID, epoch: owner.account.user.epoch, max: Limits.passkeysOfUserMax,
                spending: answered.mark, at: core.ambient.now()
            ).requireAdded()
            try await added(passkey, to: owner.account, from: owner.address)
            return passkey
        } catch let problem as PasskeyProblem {
            throw refused(problem, at: party, from: owner.address)
        }
    }

    /// Renames a passkey of the owner's.
    ///
    /// - Returns: `false` if there is no such passkey, or the name is none.
    public func rename(_ id: PasskeyID, to name: String, of owner: AccountOwner) async throws(StoreError) -> Bool {
        guard let name = PasskeyName(name) else { return false }
        return try await change(id, of: owner, name: name.text, isActive: nil)
    }

    /// What came of switching a passkey off, or removing it.
    public enum Removal: Hashable, Sendable {
        case done
        /// There is no such passkey.
        case unknown
        /// Nothing else would let its owner in again.
        case isOnlyWay
    }

    /// Switches a passkey of the owner's on, or off unless it is the only way in.
    public func setActive(_ isActive: Bool, _ id: PasskeyID, of owner: AccountOwner) async throws(StoreError)
        -> Removal
    {
        if !isActive, try await isOnlyWay(id, of: owner) { return .isOnlyWay }
        return try await change(id, of: owner, name: nil, isActive: isActive) ? .done : .unknown
    }

    /// Removes a passkey of the owner's unless it is the only way in.
    public func remove(_ id: PasskeyID, of owner: AccountOwner) async throws(StoreError) -> Removal {
        if try await isOnlyWay(id, of: owner) { return .isOnlyWay }
        let now = core.ambient.now()
        guard try await store.remove(id, of: owner.userID, at: now) else { return .unknown }
        core.audit.record(
            AuditEvent(
                .passkeyRemoved, at: now, userID: owner.userID, address: owner.address?.text, target: id.rawValue))
        return .done
    }

    /// Whether nothing but this passkey lets its owner in: no other one that is switched on, no password, no address to
    /// send a code to.
    public func isOnlyWay(_ id: PasskeyID, of owner: AccountOwner) async throws(StoreError) -> Bool {
        let active = try await passkeys(of: owner.userID).filter(\.isActive)
        guard active.map(\.id) == [id] else { return false }
        return owner.account.passwordHash == nil && !owner.account.hasProvenAddress
    }

    /// What a page tells the device about the passkeys that are still good (WebAuthn Level 3 §5.1.10.2): others vanish from
    /// its lists.
    ///
    /// - Returns: `nil` if there is nothing to tell.
    public func acceptedCredentials(of owner: AccountOwner) async throws(StoreError) -> JSONValue? {
        guard let party = parties.own else { return nil }
        let known = try await store.passkeys(of: owner.userID, at: party.id)
        guard let handle = known.first?.record.userHandle else { return nil }
        let ids = known.filter { $0.record.userHandle == handle }.map {
            JSONValue.string(Base64URL.encode($0.record.id))
        }
        return [
            "rpId": .string(party.id), "userId": .string(Base64URL.encode(handle)),
            "allAcceptedCredentialIds": .array(ids),
        ]
    }

    private func change(_ id: PasskeyID, of owner: AccountOwner, name: String?, isActive: Bool?)
        async throws(StoreError) -> Bool
    {
        let now = core.ambient.now()
        guard try await store.change(id, of: owner.userID, name: name, isActive: isActive, at: now) else {
            return false
        }
        core.audit.record(
            AuditEvent(
                .passkeyChanged, at: now, userID: owner.userID, address: owner.address?.text,
                reason: name != nil ? "renamed" : isActive == true ? "activated" : "deactivated", target: id.rawValue))
        return true
    }

    private static func binding(_ owner: AccountOwner) -> CeremonyBinding {
        CeremonyBinding(
            .settings, [owner.session.id.rawValue, owner.userID.rawValue, String(owner.account.user.epoch)])
    }
}
