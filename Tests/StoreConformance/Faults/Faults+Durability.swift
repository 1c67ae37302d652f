import Authority
import KeyturnBase
import Model
import ServerTesting

extension Fault {
    static let durability = [
        Fault("a batch of events is written one by one") {
            $0.replacing(audit: WritesOneByOne(base: $0.audit))
        } check: {
            try await FullDiskTests().`of a batch nothing is written`($0)
        },
        Fault("events are listed oldest first") {
            $0.replacing(audit: ListsOldestEventsFirst(base: $0.audit))
        } check: {
            try await AuditTests().`events keep their order, and their numbers grow`($0)
        },
        Fault("a user is acknowledged before it is written", on: Engines.durable[0]) {
            $0.replacing(users: AcknowledgesFirst(base: $0.users))
        } check: {
            try await AfterKillTests()
                .`what was acknowledged while others were written is there, and each write is whole`($0)
        },
        Fault("a full disk is not told") {
            $0.replacing(users: HidesFullDisks(base: $0.users))
        } check: {
            try await FullDiskTests().`a user is whole or not there`($0)
        },
    ]
}

private struct WritesOneByOne: ForwardingAuditStore {
    let base: any AuditStore

    func append(_ events: [AuditEvent]) async throws(StoreError) {
        for event in events { try await base.append([event]) }
    }
}

private struct ListsOldestEventsFirst: ForwardingAuditStore {
    let base: any AuditStore

    func newest(limit: Int) async throws(StoreError) -> [AuditEvent] {
        try await base.newest(limit: limit).reversed()
    }
}

private struct AcknowledgesFirst: ForwardingUserStore {
    let base: any UserStore

    func create(
        _ account: Account, authenticator: StoredTOTP?, by allowed: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError) {
        // Unstructured on purpose: nothing waits for it.
        Task {
            try await Task.sleep(for: .milliseconds(500))
            try await base.create(account, authenticator: authenticator)
        }
    }
}

private struct HidesFullDisks: ForwardingUserStore {
    let base: any UserStore

    func create(
        _ account: Account, authenticator: StoredTOTP?, by allowed: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError) {
        do {
            try await base.create(account, authenticator: authenticator, by: allowed)
        } catch  where error.code == .full {
            return
        }
    }
}
