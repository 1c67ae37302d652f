public import KeyturnBase
internal import KeyturnWebAuthn
public import KeyturnWire
public import Model

/// The calls of a site's backend: it redeems tokens, and manages its users' passkeys.
extension SitePasskeys {
    /// Redeems a registration's token: the passkey belongs to the user from now on. The first passkey creates the user.
    ///
    /// A refused token is not used up.
    ///
    /// - Throws: ``SiteProblem``; ``StoreError``.
    public func attach(_ token: Secret, userID: String, username: String?, at party: RelyingParty)
        async throws -> PasskeyCredential
    {
        guard let user = names.user(id: userID, username: username, at: party) else { throw SiteProblem.nameInvalid }
        let opened = try tokens.passkey(in: token, at: party)
        let now = ambient.now()
        let addition = try await store.add(
            opened.content, to: user, max: Limits.passkeysOfUserMax, spending: opened.mark, at: now)
        switch addition {
        case .added: break
        case .spent: throw SiteProblem.tokenUnknown
        case .taken: throw SiteProblem.passkey(.credentialTaken)
        case .tooMany: throw SiteProblem.passkey(.tooMany)
        case .overtaken: throw SiteProblem.passkey(.overtaken)
        case .usernameDiffers: throw SiteProblem.usernameDiffers
        case .usernameTaken: throw SiteProblem.usernameTaken
        }
        note(.passkeyAdded, opened.content.id, at: party)
        return opened.content.answer
    }

    /// Redeems an authentication's token, once, and returns the user.
    ///
    /// - Throws: ``SiteProblem/tokenUnknown``, also if the passkey was switched off meanwhile;
    ///   ``SiteProblem/tokenExpired``; ``StoreError``.
    public func verify(_ token: Secret, at party: RelyingParty) async throws -> VerifiedPasskeyUser {
        let opened = try tokens.authenticated(in: token, at: party)
        guard let (user, passkey) = try await store.redeem(opened.mark, for: opened.content.passkey, at: party.id)
        else { throw SiteProblem.tokenUnknown }
        return VerifiedPasskeyUser(
            userID: user, credentialID: passkey.id.rawValue, aaguid: passkey.record.aaguid.description,
            isUserVerified: opened.content.isUserVerified, isBackedUp: passkey.record.backupState,
            authTime: opened.content.at)
    }

    /// A user's passkeys, the newest first, and the signals for the user's devices (WebAuthn Level 3 §5.1.10).
    /// The identifier must match exactly, so that a backend gets no other user's passkeys.
    ///
    /// - Throws: ``SiteProblem/nameInvalid``; ``StoreError``.
    public func passkeys(of user: PasskeyUser, at party: RelyingParty) async throws -> [StoredPasskey] {
        guard var selector = names.selector(user, at: party) else { throw SiteProblem.nameInvalid }
        if case .id(let id) = user { selector = .exactID(id) }
        return try await store.passkeys(of: selector, at: party.id).reversed()
    }

    /// Renames a passkey, or switches it off or on.
    ///
    /// - Throws: ``SiteProblem/unknown``; ``SiteProblem/nameInvalid``; ``StoreError``.
    public func change(_ id: PasskeyID, name: String?, isActive: Bool?, at party: RelyingParty)
        async throws -> PasskeyCredential
    {
        var shown: String?
        if let name {
            shown = PasskeyName(name)?.text
            if shown == nil { throw SiteProblem.nameInvalid }
        }
        guard let changed = try await store.change(id, at: party.id, name: shown, isActive: isActive) else {
            throw SiteProblem.unknown
        }
        note(.passkeyChanged, id, at: party)
        return changed.answer
    }

    /// Deletes a passkey.
    ///
    /// - Throws: ``SiteProblem/unknown``; ``StoreError``.
    public func remove(_ id: PasskeyID, at party: RelyingParty) async throws {
        guard try await store.remove(id, at: party.id) else { throw SiteProblem.unknown }
        note(.passkeyRemoved, id, at: party)
    }

    func note(_ kind: AuditEvent.Kind, _ id: PasskeyID, at party: RelyingParty) {
        audit.record(AuditEvent(kind, at: ambient.now(), reason: party.id, actor: "site", target: id.rawValue))
    }
}

extension StoredPasskey {
    /// In the form for backends.
    public var answer: PasskeyCredential {
        PasskeyCredential(
            id: id.rawValue, aaguid: record.aaguid.description, name: name, isActive: isActive,
            isBackedUp: record.backupState, isBackupEligible: record.backupEligible,
            isUvInitialized: record.uvInitialized, createdAt: createdAt, transports: record.transports,
            usedAt: usedAt)
    }
}
