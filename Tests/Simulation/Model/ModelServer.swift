import enum Identity.RefreshRules
import KeyturnBase

/// The server's side of the model: one row a grant, judged by the server's own ``RefreshRules``.
struct ModelServer: Hashable {
    struct Grant: Hashable {
        var counter: Int64 = 0
        var rotatedAt: UnixTime?
        var lateRetryAt: UnixTime?
        var isEnded = false
        let isBound: Bool
    }

    enum Answer: Hashable {
        /// The refresh token of this counter, and an access token.
        case granted(Int64)
        case invalidGrant
    }

    var grants: [Grant]
    /// The highest counter that anybody was ever given, by grant.
    var issued: [Int64]

    init(isBound: Bool) {
        grants = [Grant(isBound: isBound)]
        issued = [0]
    }

    /// A refresh, as one step: the guarded update, or the judgement when it does not match.
    ///
    /// - Parameter hasKey: whether the request proves the key that a bound grant wants.
    mutating func refresh(
        _ index: Int, counter: Int64, hasKey: Bool, at now: UnixTime,
        judge: (Int64, RefreshRules.Row) -> RefreshRules.Verdict
    ) -> Answer {
        let grant = grants[index]
        guard !grant.isEnded else { return .invalidGrant }
        if grant.isBound { return hasKey && counter == grant.counter ? .granted(counter) : .invalidGrant }
        if counter == grant.counter { return rotate(index, to: counter + 1, at: now) }
        let row = RefreshRules.Row(
            counter: grant.counter, rotatedAt: grant.rotatedAt, lateRetryAt: grant.lateRetryAt)
        switch judge(counter, row) {
        case .repeatSuccessor: return .granted(grant.counter)
        case .forgiveOnce:
            grants[index].lateRetryAt = now
            return .granted(grant.counter)
        case .replay:
            grants[index].isEnded = true
            return .invalidGrant
        }
    }

    mutating func rotate(_ index: Int, to counter: Int64, at now: UnixTime) -> Answer {
        grants[index].counter = counter
        grants[index].rotatedAt = now
        issued[index] = max(issued[index], counter)
        return .granted(counter)
    }
}
