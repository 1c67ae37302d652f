internal import Authority
public import KeyturnBase
internal import KeyturnQRCode
public import Model
public import SignIn

/// A user's authenticator app, and the recovery codes for its loss.
extension AccountSettings {
    /// A confirmed authenticator app.
    public struct Authenticator: Sendable {
        /// Its identifier in a form.
        public let id: String
        public let addedAt: UnixTime
        /// When a code of it was last accepted, to half a minute.
        public let usedAt: UnixTime?
    }

    /// What the user enters or scans in an authenticator app.
    public struct TOTPSetup: Sendable {
        public let keyURI: Secret
        /// In base32, for typing.
        public let key: Secret
        /// The key URI to scan, as SVG.
        public let picture: String
    }

    /// The owner's authenticators.
    public func authenticators(of owner: AccountOwner) async throws(StoreError) -> [Authenticator] {
        try await authenticators(of: owner.userID)
    }

    /// A user's authenticators.
    package func authenticators(of user: UserID) async throws(StoreError) -> [Authenticator] {
        let now = ambient.now()
        let stored = try await stores.authenticators.authenticators(of: .user(user), at: now)
        return stored.filter(\.isConfirmed).map { stored in
            let used = UnixTime(rawValue: stored.usedStep * Self.stepSeconds)
            return Authenticator(
                id: Base64URL.encode(stored.id), addedAt: stored.createdAt ?? now,
                usedAt: stored.usedStep < 0 ? nil : min(now, used))
        }
    }

    /// Begins to set up an app. It is not accepted before its first right code.
    ///
    /// - Returns: its identifier; `nil` if there is one already, which has to be removed first, or the owner may not change
    ///   factors.
    public func beginAuthenticator(of owner: AccountOwner) async throws(StoreError) -> String? {
        guard owner.mayChangeFactors else { return nil }
        let now = ambient.now()
        let stored = methods.authenticators.seal.store(
            .make(ambient), isConfirmed: false, begunIn: .browser(owner.session.id))
        // Only beside a passkey that was used; never in place of an app that was not removed.
        let isBeside = owner.holdsStrongFactor && !owner.account.hasAuthenticator
        let isAdded = try await stores.authenticators.add(
            stored, by: try permission(Acts.AddAuthenticator.self, owner), replaces: isBeside,
            pendingMax: Limits.authenticatorsPendingMax,
            expiresAt: now + Limits.authenticatorSetupSeconds, at: now)
        return isAdded ? Base64URL.encode(stored.id) : nil
    }

    /// What to enter in an app that waits for its first code; `nil` if the owner has no such app.
    public func setup(_ id: String, of owner: AccountOwner) async throws(StoreError) -> TOTPSetup? {
        guard let stored = try await pending(id, owner), let secret = methods.authenticators.seal.open(stored) else {
            return nil
        }
        let uri = KeyURI.make(
            TOTPCode(secret), issuer: project.name, account: owner.account.countedName.value)
        guard let picture = QRCode(uri.exposed()) else { return nil }
        return TOTPSetup(keyURI: uri, key: secret.base32, picture: picture.svg())
    }

    /// Confirms an app with its first code. The owner's session has used it then; others have not.
    ///
    /// - Returns: new recovery codes, to be shown once; `nil` if the code is wrong, or the owner may not change factors.
    public func confirmAuthenticator(_ id: String, code: Secret, of owner: AccountOwner) async throws(StoreError)
        -> [Secret]?
    {
        guard owner.mayChangeFactors, let stored = try await pending(id, owner),
            let step = methods.authenticators.step(of: code, stored),
            try await stores.authenticators.accept(step: step, of: stored.id, at: ambient.now())
        else { return nil }
        try await stores.sessions.strengthen(owner.session, by: .totp, at: ambient.now())
        record(.authenticatorAdded, owner, reason: AuthenticationMethod.totp.word)
        await methods.authenticators.core.notices.send(
            .authenticatorAdded, to: owner.account, from: owner.origin, at: ambient.now())
        return try await makeRecoveryCodes(owner)
    }

    /// The owner's session has used the authenticator, perhaps only now.
    private func makeRecoveryCodes(_ owner: AccountOwner) async throws(StoreError) -> [Secret] {
        guard let account = try await stores.users.account(owner.userID) else { throw StoreError(.missing) }
        var standing = owner.standing(at: ambient.now())
        standing.usedStrongFactor = true
        return try await methods.recoveryCodes.make(for: account, in: standing)
    }

    /// Removes an app, and its recovery codes.
    ///
    /// - Returns: whether it was one of the owner's, who may change factors.
    public func removeAuthenticator(_ id: String, of owner: AccountOwner) async throws(StoreError) -> Bool {
        guard owner.mayChangeFactors, try await authenticators(of: owner).contains(where: { $0.id == id }),
            try await stores.authenticators.removeAll(
                by: try permission(Acts.RemoveAuthenticator.self, owner), at: ambient.now())
        else { return false }
        try await methods.recoveryCodes.remove(by: try permission(Acts.RemoveAuthenticator.self, owner))
        record(.authenticatorRemoved, owner, reason: AuthenticationMethod.totp.word)
        await methods.authenticators.core.notices.send(
            .authenticatorRemoved, to: owner.account, from: owner.origin, at: ambient.now())
        return true
    }

    /// New recovery codes in place of those before.
    ///
    /// - Returns: the codes, to be shown once; `nil` if there is no authenticator that they could replace, or the owner may
    ///   not change factors.
    public func renewRecoveryCodes(of owner: AccountOwner) async throws(StoreError) -> [Secret]? {
        guard owner.mayChangeFactors, try await stored(owner).contains(where: \.isConfirmed) else { return nil }
        record(.recoveryCodesMade, owner)
        let codes = try await makeRecoveryCodes(owner)
        await tell(.recoveryCodesRenewed, owner)
        return codes
    }

    /// How many recovery codes are left.
    public func recoveryCodesLeft(of owner: AccountOwner) async throws(StoreError) -> Int {
        try await methods.recoveryCodes.count(of: owner.userID)
    }

    private static let stepSeconds: Int64 = 30

    private func stored(_ owner: AccountOwner) async throws(StoreError) -> [StoredTOTP] {
        try await stores.authenticators.authenticators(of: .user(owner.userID), at: ambient.now())
    }

    /// An app that waits for its first code, if none is confirmed: otherwise it would replace the confirmed one.
    private func pending(_ id: String, _ owner: AccountOwner) async throws(StoreError) -> StoredTOTP? {
        let all = try await stored(owner)
        guard !all.contains(where: \.isConfirmed), let bytes = Base64URL.decode(id) else { return nil }
        return all.first { $0.id == bytes }
    }
}
