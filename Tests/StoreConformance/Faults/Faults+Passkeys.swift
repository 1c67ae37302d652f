import Authority
import KeyturnBase
import KeyturnWebAuthn
import Model
import ServerTesting

extension Fault {
    static let passkeys = [
        Fault("passkeys are counted first, and removed then") {
            $0.replacing(passkeys: CountsThenRemoves(base: $0.passkeys))
        } check: {
            try await PasskeyTests().`two removals at once leave one passkey, many times`($0)
        },
        Fault("an assertion is taken whatever its counter") {
            $0.replacing(passkeys: IgnoresCounters(base: $0.passkeys))
        } check: {
            try await PasskeyTests()
                .`100: of a hundred assertions with one counter one counts, and it never goes back`($0)
        },
        Fault("the challenge of an assertion is not spent") {
            $0.replacing(passkeys: SpendsNoChallenge(base: $0.passkeys))
        } check: {
            try await PasskeyTests().`94: of a hundred uses of one challenge one counts`($0)
        },
        Fault("a passkey is added whatever the epoch") {
            $0.replacing(passkeys: AddsInAnyEpoch(base: $0.passkeys))
        } check: {
            try await PasskeyTests().`a refused passkey of a user leaves the spent challenge`($0)
        },
        Fault("a refused attachment spends its token") {
            $0.replacing(passkeys: SpendsRefusedTokens(base: $0.passkeys, spent: $0.spent))
        } check: {
            try await SitePasskeyTests().`a refused attachment leaves nothing and spends nothing`($0)
        },
        Fault("an import keeps what came before a refusal") {
            $0.replacing(passkeys: ImportsOneByOne(base: $0.passkeys))
        } check: {
            try await SitePasskeyTests().`of an import with one refusal nothing is kept`($0)
        },
    ]
}

private struct CountsThenRemoves: ForwardingPasskeyStore {
    let base: any PasskeyStore

    func remove(
        _ id: PasskeyID, by allowed: consuming Allowed<Acts.RemovePasskey>, leaving ways: SignInWays?, at now: UnixTime
    ) async throws(StoreError) -> Bool {
        let others = try await base.passkeys(of: allowed.grounds.user, at: nil).count { $0.isActive && $0.id != id }
        guard ways == nil || others > 0 else { return false }
        await Fault.pause()
        return try await base.remove(id, by: allowed, leaving: nil, at: now)
    }
}

private struct IgnoresCounters: ForwardingPasskeyStore {
    let base: any PasskeyStore

    func use(
        _ record: CredentialRecord, of id: PasskeyID, repeats: Bool, spending mark: ReplayMark, at now: UnixTime
    ) async throws(StoreError) -> PasskeyUse {
        try await base.use(record, of: id, repeats: true, spending: mark, at: now)
    }
}

private struct SpendsNoChallenge: ForwardingPasskeyStore {
    let base: any PasskeyStore

    func use(
        _ record: CredentialRecord, of id: PasskeyID, repeats: Bool, spending mark: ReplayMark, at now: UnixTime
    ) async throws(StoreError) -> PasskeyUse {
        let fresh = ReplayMark(of: Ambient.live.randomBytes(16), expiresAt: mark.expiresAt)
        return try await base.use(record, of: id, repeats: repeats, spending: fresh, at: now)
    }
}

private struct AddsInAnyEpoch: ForwardingPasskeyStore {
    let base: any PasskeyStore

    func add(
        _ passkey: StoredPasskey, by allowed: consuming Allowed<Acts.AddPasskey>, max: Int, spending mark: ReplayMark,
        at now: UnixTime
    ) async throws(StoreError) -> PasskeyAddition {
        // The machine's permission rests on nothing.
        let other = try MachineAuthority.permit(Acts.AddPasskey.self, on: allowed.grounds.user)
        return try await base.add(passkey, by: other, max: max, spending: mark, at: now)
    }
}

private struct SpendsRefusedTokens: ForwardingPasskeyStore {
    let base: any PasskeyStore
    let spent: any ReplayStore

    func add(_ passkey: StoredPasskey, to user: SiteUser, max: Int, spending mark: ReplayMark, at now: UnixTime)
        async throws(StoreError) -> PasskeyAddition
    {
        let addition = try await base.add(passkey, to: user, max: max, spending: mark, at: now)
        if addition != .added { try await spent.spend(mark) }
        return addition
    }
}

private struct ImportsOneByOne: ForwardingPasskeyStore {
    let base: any PasskeyStore

    func addAll(_ passkeys: [SitePasskey], max: Int, at relyingParty: String) async throws(StoreError)
        -> SitePasskeyRefusal?
    {
        for (index, each) in passkeys.enumerated() {
            guard let refusal = try await base.addAll([each], max: max, at: relyingParty) else { continue }
            return SitePasskeyRefusal(index: index, reason: refusal.reason)
        }
        return nil
    }
}
