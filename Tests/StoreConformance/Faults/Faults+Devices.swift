import Authority
import KeyturnBase
import Model

extension Fault {
    static let devices = [
        Fault("a device is looked at first, and let in then") {
            $0.replacing(devices: LooksUpThenAllows(base: $0.devices))
        } check: {
            try await DeviceTests().`one device is let in a hundred times at once: one grant is written`($0)
        },
        Fault("every poll of a device that was let in is granted") {
            $0.replacing(devices: GrantsEveryPoll(base: $0.devices))
        } check: {
            try await DeviceTests().`26: of a hundred polls one redeems, and ninety-nine repeat what it got`($0)
        },
        Fault("an attempt at a data key that meets another one closes the key") {
            $0.replacing(dataKeys: ClosesWhenBusy(base: $0.dataKeys))
        } check: {
            try await DataKeyTests().`attempts and right secrets at once, many times: an honest key is never locked`($0)
        },
        Fault("a wrong secret of a data key is not counted") {
            $0.replacing(dataKeys: ForgetsFailures(base: $0.dataKeys))
        } check: {
            try await DataKeyTests().`three wrong secrets in a row lock a key, also for the right one`($0)
        },
        Fault("the name of a request for a data key is not remembered") {
            $0.replacing(dataKeys: ForgetsNames(base: $0.dataKeys))
        } check: {
            try await DataKeyTests().`of a hundred requests of one name one makes a key, for a day`($0)
        },
        Fault("the challenge of a device's key is not spent") {
            $0.replacing(biometrics: SpendsNoChallenge(base: $0.biometrics))
        } check: {
            try await BiometricTests()
                .`of a hundred sign-ins with one challenge one opens, and each ends the one before`($0)
        },
        Fault("the challenge of a new anonymous user is not spent") {
            $0.replacing(anonymous: SpendsNoAnonymousChallenge(base: $0.anonymous))
        } check: {
            try await AnonymousTests().`of a hundred sign-ups with one challenge one makes a user`($0)
        },
    ]
}

private struct LooksUpThenAllows: ForwardingDeviceStore {
    let base: any DeviceStore

    func allow(_ id: SecretDigest, _ grant: Grant, at now: UnixTime) async throws(StoreError) -> DeviceDecision {
        guard try await base.authorization(id)?.decision == .pending else { return .tooLate }
        await Fault.pause()
        let decision = try await base.allow(id, grant, at: now)
        return decision == .tooLate ? .made : decision
    }
}

private struct GrantsEveryPoll: ForwardingDeviceStore {
    let base: any DeviceStore

    func poll(_ poll: DevicePoll, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> DeviceAnswer {
        let answer = try await base.poll(poll, idleSeconds: idleSeconds, at: now)
        guard case .repeated(let grant) = answer else { return answer }
        return .granted(grant)
    }
}

private struct ClosesWhenBusy: ForwardingKeyServiceStore {
    let base: any KeyServiceStore

    func begin(_ id: String, realm: String, charges: [RateLimitCharge], at now: UnixTime)
        async throws(StoreError) -> KeyAttemptStart
    {
        let start = try await base.begin(id, realm: realm, charges: charges, at: now)
        return start == .busy ? .closed(isNew: true) : start
    }
}

private struct ForgetsFailures: ForwardingKeyServiceStore {
    let base: any KeyServiceStore

    func fail(_ attempt: KeyAttempt, at now: UnixTime) async throws(StoreError) -> KeyFailure {
        try await base.withdraw(attempt, refunding: [], at: now)
        return .left(2)
    }
}

private struct ForgetsNames: ForwardingKeyServiceStore {
    let base: any KeyServiceStore

    func add(_ key: StoredDataKey, name: SecretDigest?, at now: UnixTime) async throws(StoreError) -> KeyAddition {
        if let name, let id = try await base.key(named: name, at: now) { return .repeated(id: id) }
        await Fault.pause()
        return try await base.add(key, name: nil, at: now)
    }
}

private struct SpendsNoChallenge: ForwardingBiometricStore {
    let base: any BiometricStore

    func open(
        _ grant: Grant, by keyID: String, challenge: ReplayMark, charge: RateLimitCharge, at now: UnixTime
    ) async throws(StoreError) -> BiometricOpening {
        let fresh = ReplayMark(of: grant.id.bytes, expiresAt: challenge.expiresAt)
        return try await base.open(grant, by: keyID, challenge: fresh, charge: charge, at: now)
    }
}

private struct SpendsNoAnonymousChallenge: ForwardingAnonymousStore {
    let base: any AnonymousStore

    func signUp(
        _ user: User, key: StoredAnonymousKey?, opening grant: Grant, challenge: ReplayMark?,
        charges: [RateLimitCharge], by permission: borrowing Allowed<Acts.CreateAccount>, at now: UnixTime
    ) async throws(StoreError) -> AnonymousOpening {
        let fresh = challenge.map { ReplayMark(of: grant.id.bytes, expiresAt: $0.expiresAt) }
        return try await base.signUp(
            user, key: key, opening: grant, challenge: fresh, charges: charges, by: permission, at: now)
    }
}
