internal import Authority
public import KeyturnBase
internal import KeyturnWire
public import Model
public import SignIn

/// A user's own password.
extension AccountSettings {
    /// The result of setting a new password.
    public enum PasswordOutcome: Sendable {
        /// Saved; the new cookie replaces this browser's.
        case saved(cookie: Secret)
        /// The password is not permitted: for these reasons, or because it was used before.
        case refused([PasswordPolicy.Flaw], wasUsedBefore: Bool)
        case wrongCurrent
        case throttled(retryAfterSeconds: Int)
        /// Too many password checks at the same time.
        case busy
        /// The session ended meanwhile.
        case signedOut
    }

    /// Sets the owner's password. If there is one, it must be entered.
    ///
    /// Codes and links that were sent before become invalid. This browser stays signed in, with a new cookie.
    ///
    /// - Parameter endsOthers: whether every other browser and every app has to sign in again, in the same transaction.
    /// - Parameter app: an app whose access does not end, because it sent the user here.
    public func setPassword(
        _ new: Secret, current: Secret, endsOthers: Bool, but app: SignedInSession? = nil, of owner: AccountOwner
    ) async throws -> PasswordOutcome {
        do {
            return try await set(new, current: current, endsOthers: endsOthers, but: app, of: owner)
        } catch is HashingPool.Saturated {
            return .busy
        } catch let problem as MethodProblem {
            guard let seconds = problem.retryAfterSeconds else { throw problem }
            return .throttled(retryAfterSeconds: seconds)
        }
    }

    private func set(
        _ new: Secret, current: Secret, endsOthers: Bool, but app: SignedInSession?, of owner: AccountOwner
    ) async throws -> PasswordOutcome {
        let core = methods.passwords.core
        let passwords = methods.passwords.passwords
        let old = owner.account.passwordHash
        if let old {
            // Counted like a sign-in, so that an open browser cannot be used for guessing.
            let name = owner.account.countedName
            let attempt = try await core.guessing.admit(name, of: owner.account, from: owner.address)
            // The owner may know what counts for all login IDs together.
            guard attempt.ownerDelaySeconds == 0 else {
                return .throttled(retryAfterSeconds: Int(attempt.ownerDelaySeconds))
            }
            guard try await passwords.check(current, against: old) != .wrong else {
                core.failed(owner.account, .password, from: owner.address)
                return .wrongCurrent
            }
            try await core.guessing.succeeded(attempt)
        }
        let flaws = try await passwords.flaws(
            in: new, policy: methods.passwords.policy, identifiers: Array(owner.account.identifiers.keys),
            breached: methods.passwords.breached)
        guard flaws.isEmpty else { return .refused(flaws, wasUsedBefore: false) }
        let kept = methods.passwords.settings.reuseMax
        let history = kept > 0 ? try await stores.passwords.state(of: owner.userID).history : []
        for hash in (old.map { [$0] } ?? []) + history.prefix(kept)
        where try await passwords.matches(new, hash) {
            return .refused([], wasUsedBefore: true)
        }
        let now = ambient.now()
        let change = PasswordChange(
            hash: try await passwords.hash(new), origin: owner.passwordOrigin, replacing: old,
            historyMax: kept, keeping: owner.session.openedBy,
            keepingSession: owner.session.id, keepingApp: app, endsSessions: endsOthers)
        // Another request was faster: the entered password is not the current one any more.
        guard
            try await stores.passwords.set(
                change, by: try permission(Acts.SetPassword.self, owner), at: now)
        else { return .wrongCurrent }
        record(.passwordChanged, owner, reason: old == nil ? "first" : nil)
        await core.notices.send(.passwordChanged, to: owner.account, from: owner.origin, at: now)
        guard let cookie = try await signIn.renewCookie(of: owner.session) else { return .signedOut }
        return .saved(cookie: cookie)
    }
}
