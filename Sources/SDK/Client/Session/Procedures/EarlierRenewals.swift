internal import KeyturnBase

/// What was stored of earlier renewals when one began: what is stored again once that one was refused for certain.
///
/// An attempt that was refused has no answer that others could wait for. One without a certain answer keeps its mark:
/// its answer may be the reason why others are refused.
struct EarlierRenewals: Hashable, Sendable {
    private let renewalBegunAt: UnixTime?
    private let firstBegunAt: UnixTime?
    private let rivalBegunAt: UnixTime?
    /// Whether the mark is of an earlier attempt of this process.
    let isOwn: Bool

    /// - Parameters:
    ///   - found: What was stored.
    ///   - record: What is renewed; it may be newer than what was stored.
    ///   - rival: When another process began to renew what was stored, if that may still be under way.
    ///   - own: What this process has begun itself.
    init(_ found: SessionRecord, renewing record: SessionRecord, beside rival: UnixTime?, own: Generation?) {
        isOwn = found.generation == own
        // Otherwise it is the tokens before these that they renew.
        let isSame = found.sharesTokens(with: record)
        renewalBegunAt = isSame ? found.renewalBegunAt : nil
        firstBegunAt = isSame ? found.firstBegunAt : nil
        rivalBegunAt = isSame ? found.rivalBegunAt : rival
    }

    /// The record without the attempt that it announces.
    ///
    /// - Parameter needsInteraction: Whether the service wants the user at its page.
    func restored(in intent: SessionRecord, needsInteraction: Bool) -> SessionRecord {
        var next = intent
        next.generation = intent.generation.next
        next.renewalBegunAt = renewalBegunAt
        next.firstBegunAt = firstBegunAt
        next.rivalBegunAt = rivalBegunAt
        next.needsInteraction = intent.needsInteraction || needsInteraction
        return next
    }
}
