internal import Authority
internal import KeyturnBase
public import Model
public import SignIn

/// The user names that a user signs in with. They need no code: nothing is sent to a name.
extension AccountSettings {
    /// Why a user name was not added.
    public enum UsernameProblem: Hashable, Sendable {
        /// It is too short or too long, or has other characters than ASCII's letters and digits, `.`, `-` and `_`:
        /// others look alike.
        case invalid
        case taken, tooMany
        /// An account would come of it, and `project.sign_up` does not allow one.
        case closed
        case throttled(retryAfterSeconds: Int)
    }

    /// Adds a user name; in the place of another one, in one step.
    ///
    /// - Parameters:
    ///   - text: what the user typed.
    ///   - old: the user name that it replaces, if it is the owner's own; `nil`: it replaces none.
    ///   - owner: the signed-in user.
    /// - Returns: what is wrong with it; `nil`: it is the owner's from now on.
    public func addUsername(
        _ text: String, replacing old: Identifier?, of owner: AccountOwner
    ) async throws(StoreError) -> UsernameProblem? {
        guard let name = Self.username(text) else { return .invalid }
        guard owner.account.identifiers[name] == nil else { return .taken }
        guard try await mayHaveAccount(owner, by: name) else { return .closed }
        let now = ambient.now()
        let charge = RateLimitCharge(
            "username:\(owner.userID.rawValue)", max: Limits.usernameTriesMax, windowSeconds: Limits.sendWindowSeconds)
        if let retryAt = try await stores.rateLimits.spend([charge], at: now) {
            return .throttled(retryAfterSeconds: Int(max(1, retryAt.seconds(since: now))))
        }
        let replaced = old.flatMap { $0.kind == .username && owner.account.identifiers[$0] != nil ? $0 : nil }
        let note = ChangeNote(ambient)
        let changed: Account
        do throws(StoreError) {
            let noted = note.noting { (account: inout Account) in
                let gone = replaced.map { account.identifiers[$0] != nil } ?? false
                guard account.identifiers.count - (gone ? 1 : 0) < Limits.identifiersOfUserMax else { return }
                if let replaced { account.identifiers[replaced] = nil }
                account.identifiers[name] = .verified
            }
            changed = try await stores.users.change(
                by: try changePermission(.changeUsername, owner), at: now, noted)
        } catch {
            guard error.code == .conflict else { throw error }
            return .taken
        }
        guard changed.identifiers[name] != nil else { return .tooMany }
        record(.identifierAdded, owner, reason: name.kind.rawValue, changes: note.changes)
        if let replaced {
            record(.identifierRemoved, owner, reason: name.kind.rawValue)
            await tell(.addressRemoved(replaced), owner)
        }
        return nil
    }

    /// A user name that may be chosen; `nil`: the text is none.
    private static func username(_ text: String) -> Identifier? {
        guard let name = Identifier(loginID: text), name.kind == .username,
            (Limits.usernameLengthMin...Limits.usernameLengthMax).contains(name.value.utf8.count),
            name.value.utf8.allSatisfy({
                (97...122).contains($0) || (48...57).contains($0) || [45, 46, 95].contains($0)
            })
        else { return nil }
        return name
    }
}
