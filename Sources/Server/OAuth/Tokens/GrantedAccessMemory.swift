internal import Model
internal import Synchronization

/// What grants allow, in two bounded generations: a refresh is judged before its token is spent, and costs no more than
/// its own statement for a grant that is remembered. Grants never change what they allow, so that what is here is right.
final class GrantedAccessMemory: Sendable {
    private struct Memory: Sendable {
        var young: [GrantID: GrantedAccess] = [:]
        var old: [GrantID: GrantedAccess] = [:]
        /// Most grants are alike: each value is kept once.
        var kinds: [GrantedAccess: GrantedAccess] = [:]
    }

    private let memory = Mutex(Memory())

    func recall(_ id: GrantID) -> GrantedAccess? {
        memory.withLock { $0.young[id] ?? $0.old[id] }
    }

    func remember(_ grant: Grant) {
        let access = GrantedAccess(grant)
        memory.withLock { memory in
            guard memory.young[grant.id] == nil else { return }
            if memory.young.count >= Limits.rememberedGrantsMax {
                memory.old = memory.young
                memory.young = [:]
                memory.kinds = [:]
            }
            let kept = memory.kinds[access] ?? access
            memory.kinds[access] = kept
            memory.young[grant.id] = kept
        }
    }
}
