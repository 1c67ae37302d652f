import Authority
import KeyturnBase
import Model
import ServerTesting

extension Fault {
    static let users = [
        Fault("a user is read, changed and written in two transactions") {
            $0.replacing(users: ReadsThenWrites(base: $0.users))
        } check: {
            try await UserTests().`of a hundred parallel changes of one user, none is lost`($0)
        },
        Fault("a new hash takes the place of any other") {
            $0.replacing(users: RehashesAnything(base: $0.users))
        } check: {
            try await UserTests()
                .`a new hash of the same password takes the place of the old one alone, and ends nothing`($0)
        },
        Fault("a password takes the place of whatever is there") {
            $0.replacing(passwords: ReplacesAnything(base: $0.passwords))
        } check: {
            try await PasswordTests().`of a hundred changes of one password one counts`($0)
        },
        Fault("a new password leaves the sessions and forgets nothing else") {
            $0.replacing(passwords: EndsNoSessions(base: $0.passwords))
        } check: {
            try await RevocationTests().`everything ends, and what was on its way opens nothing any more`(
                $0, .newPassword)
        },
        Fault("a recovery begins whatever the epoch") {
            $0.replacing(recoveries: BeginsInAnyEpoch(base: $0.recoveries, users: $0.users))
        } check: {
            try await RecoveryTests()
                .`what was proved in another epoch, or without a factor to remove, begins nothing`($0)
        },
        Fault("a name is cut at U+0000") {
            $0.replacing(users: CutsNames(base: $0.users))
        } check: {
            try await TextTests().`a name with U+0000 is no other name, and is found nowhere`($0)
        },
    ]
}

private struct ReadsThenWrites: ForwardingUserStore {
    let base: any UserStore

    func change(
        by allowed: consuming Allowed<Acts.ChangeAccount>, leaving ways: SignInWays?, at now: UnixTime,
        _ rule: @escaping @Sendable (inout Account) -> Void
    ) async throws(StoreError) -> Account {
        let id = allowed.grounds.user
        guard var account = try await base.account(id) else { throw StoreError(.missing) }
        rule(&account)
        await Fault.pause()
        try await base.update(account, at: now)
        return account
    }
}

private struct RehashesAnything: ForwardingUserStore {
    let base: any UserStore

    func rehash(_ id: UserID, from old: String, to new: String) async throws(StoreError) {
        try await base.rehash(id, from: try await base.account(id)?.passwordHash ?? old, to: new)
    }
}

private struct CutsNames: ForwardingUserStore {
    let base: any UserStore

    func account(_ identifier: Identifier) async throws(StoreError) -> Account? {
        let cut = identifier.value.prefix { $0 != "\u{0}" }
        return try await base.account(Identifier(kind: identifier.kind, storedValue: String(cut)))
    }
}

private struct ReplacesAnything: ForwardingPasswordStore {
    let base: any PasswordStore

    func set(_ change: PasswordChange, by allowed: consuming Allowed<Acts.SetPassword>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        var free = change
        free.replacing = nil
        return try await base.set(free, by: allowed, at: now)
    }
}

private struct EndsNoSessions: ForwardingPasswordStore {
    let base: any PasswordStore

    func set(_ change: PasswordChange, by allowed: consuming Allowed<Acts.SetPassword>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        var lenient = change
        lenient.endsSessions = false
        return try await base.set(lenient, by: allowed, at: now)
    }
}

private struct BeginsInAnyEpoch: ForwardingRecoveryStore {
    let base: any RecoveryStore
    let users: any UserStore

    func begin(
        _ recovery: Recovery, epoch: Int64, cancelledBy digest: SecretDigest, charge: RateLimitCharge,
        notices: [WaitingMessage], event: AuditEvent, at now: UnixTime
    ) async throws(StoreError) -> RecoveryBeginning {
        let current = try await users.account(recovery.userID)?.user.epoch ?? epoch
        return try await base.begin(
            recovery, epoch: current, cancelledBy: digest, charge: charge, notices: notices, event: event, at: now)
    }
}
