import KeyturnBase
import Model

extension Fault {
    static let messages = [
        Fault("a claim of messages holds no lease") {
            $0.replacing(messages: HoldsNoLease(base: $0.messages))
        } check: {
            try await MessageTests().`one message and two nodes, many times: one of them sends it`($0)
        },
        Fault("a claim that is over still decides") {
            $0.replacing(messages: HearsEveryClaim(base: $0.messages))
        } check: {
            try await MessageTests()
                .`after the lease another caller decides, and the first one's verdict changes nothing`($0)
        },
        Fault("a link that waits no more is approved again") {
            $0.replacing(links: ApprovesAgain(base: $0.links))
        } check: {
            try await LinkTests().`86: of a hundred polls for one approved link one gets the session`($0)
        },
        Fault("the links of a user are not removed") {
            $0.replacing(links: RemovesNoLinks(base: $0.links))
        } check: {
            try await LinkTests().`every link of one user is removed, followed or not, and no other`($0)
        },
    ]
}

private struct HoldsNoLease: ForwardingMessageStore {
    let base: any MessageStore

    func claim(limit: Int, leaseSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [MessageClaim] {
        try await base.claim(limit: limit, leaseSeconds: 0, at: now)
    }
}

private struct HearsEveryClaim: ForwardingMessageStore {
    let base: any MessageStore

    func finish(_ claim: MessageClaim, _ end: MessageEnd, keepsContent: Bool, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        for attempt in claim.attempt...claim.attempt + 1 {
            let later = MessageClaim(message: claim.message, attempt: attempt)
            if try await base.finish(later, end, keepsContent: keepsContent, at: now) { return true }
        }
        return false
    }
}

private struct ApprovesAgain: ForwardingLinkStore {
    let base: any LinkStore

    func approve(_ reference: SecretDigest, user: UserID, isFirst: Bool, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        _ = try await base.approve(reference, user: user, isFirst: isFirst, at: now)
        return true
    }
}

private struct RemovesNoLinks: ForwardingLinkStore {
    let base: any LinkStore

    func removeAll(of user: UserID) async throws(StoreError) {}
}
