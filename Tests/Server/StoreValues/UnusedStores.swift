public import Authority
public import KeyturnBase
public import Model

/// Stops the process at a call of a store that keeps nothing here.
func unused(_ call: String) -> Never {
    fatalError("the exploration has no \(call)")
}

/// Imports of users: none here.
public struct UnusedUserImportStore: UserImportStore {
    public init() {}

    public func apply(
        _ rows: [ImportedUser], _ plan: UserImportPlan, by allowed: consuming Allowed<Acts.ImportUsers>,
        at now: UnixTime
    ) -> [UserImport.Outcome] {
        unused("imports.apply(_:_:by:at:)")
    }
}

/// Access keys: none here.
struct UnusedAccessKeyStore: AccessKeyStore {
    func create(_ key: AccessKey, digest: SecretDigest, by permission: borrowing Allowed<Acts.ChangeAccessKeys>) {
        unused("accessKeys.create(_:digest:by:)")
    }

    func key(_ digest: SecretDigest) -> (key: AccessKey, user: Account?)? { unused("accessKeys.key(_:)") }

    func key(_ id: String) -> AccessKey? { unused("accessKeys.key(_:)") }

    func search(tenants: [String], user: UserID?, limit: Int, offset: Int) -> [AccessKey] {
        unused("accessKeys.search(tenants:user:limit:offset:)")
    }

    func change(
        _ id: String, by permission: borrowing Allowed<Acts.ChangeAccessKeys>, at now: UnixTime,
        _ rule: @escaping @Sendable (inout AccessKey) -> Void
    ) -> AccessKey {
        unused("accessKeys.change(_:by:at:_:)")
    }

    func rotate(
        _ id: String, to digest: SecretDigest, by permission: borrowing Allowed<Acts.ChangeAccessKeys>, at now: UnixTime
    ) -> AccessKey {
        unused("accessKeys.rotate(_:to:by:at:)")
    }

    func delete(_ id: String, by permission: borrowing Allowed<Acts.ChangeAccessKeys>) -> Bool {
        unused("accessKeys.delete(_:by:)")
    }
}

/// Streams of audit events: none here.
struct UnusedAuditStreamStore: AuditStreamStore {
    func claim(_ name: String, beginningAfter number: Int64, until end: UnixTime, at now: UnixTime)
        -> AuditStreamClaim?
    {
        unused("auditStreams.claim(_:beginningAfter:until:at:)")
    }

    func advance(_ claim: AuditStreamClaim, to number: Int64, until end: UnixTime) -> AuditStreamClaim? {
        unused("auditStreams.advance(_:to:until:)")
    }

    func release(_ claim: AuditStreamClaim) { unused("auditStreams.release(_:)") }

    func positions() -> [String: Int64] { unused("auditStreams.positions()") }
}

/// Streams of shared signals: none here.
struct UnusedSignalStreamStore: SignalStreamStore {
    func create(_ stream: SignalStream, max: Int) -> Bool { unused("signalStreams.create(_:max:)") }

    func stream(_ id: String, of clientID: String) -> SignalStream? { unused("signalStreams.stream(_:of:)") }

    func streams(of clientID: String) -> [SignalStream] { unused("signalStreams.streams(of:)") }

    func change(_ id: String, of clientID: String, _ rule: @escaping @Sendable (inout SignalStream) -> Void)
        -> SignalStream?
    {
        unused("signalStreams.change(_:of:_:)")
    }

    func delete(_ id: String, of clientID: String) -> SignalStream? { unused("signalStreams.delete(_:of:)") }

    func claim(behind head: Int64, until end: UnixTime, at now: UnixTime) -> SignalStreamClaim? {
        unused("signalStreams.claim(behind:until:at:)")
    }

    func settle(_ claim: SignalStreamClaim, to number: Int64, isVerified: Bool, due: UnixTime, failures: Int64) -> Bool
    {
        unused("signalStreams.settle(_:to:isVerified:due:failures:)")
    }
}

/// Notices to clients in ping mode: none here.
struct UnusedPingNoticeStore: PingNoticeStore {
    func hasDue(at now: UnixTime) -> Bool { unused("pingNotices.hasDue(at:)") }

    func claim(limit: Int, leaseSeconds: Int64, at now: UnixTime) -> [PingNoticeClaim] {
        unused("pingNotices.claim(limit:leaseSeconds:at:)")
    }

    func remove(_ claim: PingNoticeClaim) -> Bool { unused("pingNotices.remove(_:)") }

    func postpone(_ claim: PingNoticeClaim, until due: UnixTime) -> Bool { unused("pingNotices.postpone(_:until:)") }

    func waiting(limit: Int) -> [PingNotice] { unused("pingNotices.waiting(limit:)") }
}

/// Upkeep: none here. Nothing that is over is removed.
struct UnusedMaintenanceStore: MaintenanceStore {
    func removeExpired(limit: Int, at now: UnixTime) -> Int { unused("maintenance.removeExpired(limit:at:)") }

    func removeEndedGrants(rows: Int, at now: UnixTime) -> Int? {
        unused("maintenance.removeEndedGrants(rows:at:)")
    }

    func clock() -> UnixTime? { unused("maintenance.clock()") }

    func revision() -> Int64 { unused("maintenance.revision()") }

    func queueLengths(upTo max: Int) -> QueueLengths { unused("maintenance.queueLengths(upTo:)") }

    func ping() { unused("maintenance.ping()") }
}

/// Tokens of providers: none here.
struct UnusedProviderTokenStore: ProviderTokenStore {
    func keep(_ tokens: StoredProviderTokens) -> Bool { unused("providerTokens.keep(_:)") }

    func tokens(of key: FederatedIdentity.Key) -> StoredProviderTokens? { unused("providerTokens.tokens(of:)") }

    func replace(_ old: StoredProviderTokens, by sealed: [UInt8]) -> Bool { unused("providerTokens.replace(_:by:)") }

    func ended(limit: Int, leaseSeconds: Int64, at now: UnixTime) -> [EndedProviderTokens] {
        unused("providerTokens.ended(limit:leaseSeconds:at:)")
    }

    func remove(_ tokens: StoredProviderTokens) { unused("providerTokens.remove(_:)") }
}
