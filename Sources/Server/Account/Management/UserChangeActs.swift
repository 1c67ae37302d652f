internal import Authority
internal import KeyturnBase
internal import Model

/// What a change of an account does, in the words of the rulebook: whichever call makes it, the same acts are asked for.
enum UserChangeActs {
    /// In a fixed order; empty: nothing that the rulebook knows is changed.
    static func acts(from old: Account, to new: Account) -> [Act] {
        var acts: [Act] = []
        if old.user.status != new.user.status {
            acts += status(of: old, to: new.user.status)
        }
        // The codes of test users are told.
        if old.user.isTest != new.user.isTest { acts += [.changeStatus, .openSessions] }
        if profile(old) != profile(new) || old.user.acceptances != new.user.acceptances { acts.append(.changeProfile) }
        if old.user.attributes != new.user.attributes { acts.append(.changeAttributes) }
        if old.memberships != new.memberships { acts.append(.changeMemberships) }
        return acts + names(old, new) + addresses(old, new)
    }

    private static func status(of old: Account, to new: User.Status) -> [Act] {
        switch (old.user.status, new) {
        case (.invited, .active): [.acceptInvitation]
        case (_, .invited): [.restoreAccess, .acceptInvitation]
        // The user may have been invited before: no address of the account was proved.
        case (_, .active) where !old.hasProvenAddress: [.restoreAccess, .acceptInvitation]
        case (_, .active): [.restoreAccess]
        default: [.changeStatus]
        }
    }

    private static func names(_ old: Account, _ new: Account) -> [Act] {
        var acts: Set<Act> = []
        for (identifier, state) in new.identifiers where old.identifiers[identifier] != state {
            if old.identifiers[identifier] == nil {
                acts.insert(identifier.kind == .username ? .changeUsername : .addAddress)
            }
            if state == .verified, identifier.kind != .username { acts.insert(.proveAddress) }
            if state == .unverified, old.identifiers[identifier] == .verified { acts.insert(.removeAddress) }
        }
        for identifier in old.identifiers.keys where new.identifiers[identifier] == nil {
            acts.insert(identifier.kind == .username ? .changeUsername : .removeAddress)
        }
        return Act.allCases.filter(acts.contains)
    }

    /// The addresses that messages go to.
    private static func addresses(_ old: Account, _ new: Account) -> [Act] {
        var acts: [Act] = []
        if old.email != new.email || old.phone != new.phone || old.isEmailVerified && !new.isEmailVerified
            || old.isPhoneVerified && !new.isPhoneVerified
        {
            acts.append(.choosePrimaryAddress)
        }
        if new.isEmailVerified && !(old.isEmailVerified && old.email == new.email)
            || new.isPhoneVerified && !(old.isPhoneVerified && old.phone == new.phone)
        {
            acts.append(.proveAddress)
        }
        return acts
    }

    private static func profile(_ account: Account) -> [String: JSONValue] {
        account.user.claims.filter { !addressClaims.contains($0.key) }
    }

    private static let addressClaims: Set = ["email", "email_verified", "phone_number", "phone_number_verified"]
}
