internal import Authority
internal import KeyturnBase
internal import Model

/// Devices that wait for a decision: none here.
struct UnusedDeviceStore: DeviceStore {
    func add(_ authorization: DeviceAuthorization, userCode: SecretDigest) -> Bool {
        unused("devices.add(_:userCode:)")
    }

    func authorization(userCode: [SecretDigest]) -> DeviceAuthorization? {
        unused("devices.authorization(userCode:)")
    }

    func authorization(_ id: SecretDigest) -> DeviceAuthorization? { unused("devices.authorization(_:)") }

    func allow(_ id: SecretDigest, _ grant: Grant, at now: UnixTime) -> DeviceDecision {
        unused("devices.allow(_:_:at:)")
    }

    func deny(_ id: SecretDigest, at now: UnixTime) -> DeviceDecision { unused("devices.deny(_:at:)") }

    func poll(_ poll: DevicePoll, idleSeconds: Int64, at now: UnixTime) -> DeviceAnswer {
        unused("devices.poll(_:idleSeconds:at:)")
    }
}

/// Requests for sign-ins on another device: none here.
struct UnusedBackchannelStore: BackchannelStore {
    func add(_ request: BackchannelAuthentication, pendingMax: Int64) -> Bool {
        unused("backchannel.add(_:pendingMax:)")
    }

    func waiting(for user: UserID, limit: Int, at now: UnixTime) -> [BackchannelAuthentication] {
        unused("backchannel.waiting(for:limit:at:)")
    }

    func allow(_ id: SecretDigest, number: Int64, _ grant: Grant, by approver: Approver, at now: UnixTime)
        -> BackchannelDecision
    {
        unused("backchannel.allow(_:number:_:by:at:)")
    }

    func approve(_ id: SecretDigest, number: Int64, by approver: Approver, at now: UnixTime) -> BackchannelDecision {
        unused("backchannel.approve(_:number:by:at:)")
    }

    func approval(_ id: SecretDigest, at now: UnixTime) -> ApprovalAnswer { unused("backchannel.approval(_:at:)") }

    func collectApproval(_ id: SecretDigest, at now: UnixTime) -> ApprovalAnswer {
        unused("backchannel.collectApproval(_:at:)")
    }

    func isApproverAlive(_ id: SecretDigest, at now: UnixTime) -> Bool {
        unused("backchannel.isApproverAlive(_:at:)")
    }

    func deny(_ id: SecretDigest, of user: UserID, withOthers: Bool, at now: UnixTime) -> BackchannelDecision {
        unused("backchannel.deny(_:of:withOthers:at:)")
    }

    func poll(_ poll: DevicePoll, idleSeconds: Int64, at now: UnixTime) -> DeviceAnswer {
        unused("backchannel.poll(_:idleSeconds:at:)")
    }
}

/// Anonymous users: none here.
struct UnusedAnonymousStore: AnonymousStore {
    func signUp(
        _ user: User, key: StoredAnonymousKey?, opening grant: Grant, challenge: ReplayMark?,
        charges: [RateLimitCharge], by permission: borrowing Allowed<Acts.CreateAccount>, at now: UnixTime
    ) -> AnonymousOpening {
        unused("anonymous.signUp(_:key:opening:challenge:charges:by:at:)")
    }

    func open(_ grant: Grant, by keyID: String, challenge: ReplayMark, charge: RateLimitCharge, at now: UnixTime)
        -> AnonymousOpening
    {
        unused("anonymous.open(_:by:challenge:charge:at:)")
    }

    func key(_ id: String) -> (key: StoredAnonymousKey, user: User)? { unused("anonymous.key(_:)") }

    func removeUnseen(since time: UnixTime, limit: Int, at now: UnixTime) -> AnonymousRemoval {
        unused("anonymous.removeUnseen(since:limit:at:)")
    }
}

/// Data keys: none here.
struct UnusedKeyServiceStore: KeyServiceStore {
    func add(_ key: StoredDataKey, name: SecretDigest?, at now: UnixTime) -> KeyAddition {
        unused("dataKeys.add(_:name:at:)")
    }

    func key(_ id: String, realm: String) -> StoredDataKey? { unused("dataKeys.key(_:realm:)") }

    func key(named name: SecretDigest, at now: UnixTime) -> String? { unused("dataKeys.key(named:at:)") }

    func begin(_ id: String, realm: String, charges: [RateLimitCharge], at now: UnixTime) -> KeyAttemptStart {
        unused("dataKeys.begin(_:realm:charges:at:)")
    }

    func succeed(
        _ attempt: KeyAttempt, _ change: KeyChange, from network: String?, refunding buckets: [String], at now: UnixTime
    ) -> Bool {
        unused("dataKeys.succeed(_:_:from:refunding:at:)")
    }

    func fail(_ attempt: KeyAttempt, at now: UnixTime) -> KeyFailure { unused("dataKeys.fail(_:at:)") }

    func withdraw(_ attempt: KeyAttempt, refunding buckets: [String], at now: UnixTime) {
        unused("dataKeys.withdraw(_:refunding:at:)")
    }

    func use(_ id: String, realm: String, _ change: KeyChange, from network: String?, at now: UnixTime) -> Bool {
        unused("dataKeys.use(_:realm:_:from:at:)")
    }

    func keys(of user: UserID, realm: String, clientID: String?, limit: Int) -> [StoredDataKey] {
        unused("dataKeys.keys(of:realm:clientID:limit:)")
    }

    func remove(_ id: String, of user: UserID, realm: String, clientID: String?) -> Bool {
        unused("dataKeys.remove(_:of:realm:clientID:)")
    }

    func removeUnused(since oldest: UnixTime, neverSince oldestUnused: UnixTime, limit: Int) -> Int {
        unused("dataKeys.removeUnused(since:neverSince:limit:)")
    }
}
