import enum Model.RefreshRules
import KeyturnBase

/// The owner of a refresh token and a thief with a copy of it, each with any timing, at the server's own rules. No client
/// in between: both do with their tokens what they like.
///
/// Time stands still and the past moves away, to a limit beyond which no rule looks, so that what differs in nothing but
/// its date is one state.
struct TheftModel: Hashable {
    private static let now = UnixTime(rawValue: 1_000_000)

    let usesFormerRules: Bool
    /// How many refreshes are left. Pauses are free.
    var usesLeft: Int
    var server = ModelServer(isBound: false)
    var owner: Int64 = 0
    var thief: Int64 = 0
    /// When the owner was answered last.
    var ownerAnsweredAt: UnixTime?
    /// Uses by the thief that no use by the owner within the minute before them excuses, and none after them yet.
    var thiefUses: [UnixTime] = []
    /// Uses by the thief that were far from any by the owner, and which no late answer has told of.
    var silentUses = 0
    var violation: String?

    /// How far time goes in one step, in seconds: within the overlap, and just beyond it, or with the former rules a day.
    private var pauses: [Int64] { usesFormerRules ? [61, 86_400] : [40, 61] }
    /// Before that, no rule looks at a date.
    private var longAgo: UnixTime { Self.now - (usesFormerRules ? 86_401 : 61) }

    static func next(_ model: TheftModel) -> [ModelChecker<TheftModel>.Transition] {
        guard model.violation == nil, !model.server.grants[0].isEnded, model.usesLeft > 0 else { return [] }
        return [
            .init("the owner refreshes", model.refreshed(isOwner: true, isAnswerLost: false)),
            .init("the owner refreshes in vain", model.refreshed(isOwner: true, isAnswerLost: true)),
            .init("the thief refreshes", model.refreshed(isOwner: false, isAnswerLost: false)),
        ] + model.pauses.map { .init("\($0) seconds pass", model.after($0)) }
    }

    private func after(_ seconds: Int64) -> TheftModel {
        func earlier(_ time: UnixTime) -> UnixTime { max(time - seconds, longAgo) }
        var model = self
        model.ownerAnsweredAt = ownerAnsweredAt.map(earlier)
        model.server.grants[0].redate(earlier)
        let moved = thiefUses.map(earlier)
        model.thiefUses = moved.filter(Self.isRecent)
        model.silentUses = min(silentUses + moved.count { !Self.isRecent($0) }, 1)
        return model
    }

    private static func isRecent(_ time: UnixTime) -> Bool { now.seconds(since: time) <= 60 }

    private func refreshed(isOwner: Bool, isAnswerLost: Bool) -> TheftModel {
        var model = self
        model.usesLeft -= 1
        let presented = isOwner ? owner : thief
        let before = server.grants[0]
        let lateness = presented < before.counter ? before.lateness(of: presented, at: Self.now) : .prompt
        let answer = model.server.refresh(0, counter: presented, hasKey: false, at: Self.now) { counter, grant in
            usesFormerRules
                ? FormerRules.judge(counter, grant, at: Self.now)
                : RefreshRules.judge(presented: counter, row: grant.row, at: Self.now)
        }
        guard case .granted(let counter) = answer else { return model }
        if lateness != .prompt {
            let late = RefreshRules.Rotation(time: Self.now, counter: before.counter)
            model.server.grants[0].lateAnswers.append(late)
        }
        if !isAnswerLost {
            if isOwner { model.owner = counter } else { model.thief = counter }
        }
        model.note(isOwner: isOwner, isLate: lateness != .prompt)
        return model
    }

    /// Late answers are three at most and never at two rotations in a row; and each use by the thief that the owner has
    /// come back after lies within a minute of a use by the owner, or a late answer tells of it.
    private mutating func note(isOwner: Bool, isLate: Bool) {
        if isLate { silentUses = 0 }
        if isOwner {
            if silentUses > 0 { violation = "a use by the thief went unnoticed" }
            ownerAnsweredAt = Self.now
            thiefUses = []
        } else if !isLate, !(ownerAnsweredAt.map(Self.isRecent) ?? false) {
            thiefUses.append(Self.now)
        }
        let counters = server.grants[0].lateAnswers.map(\.counter)
        if counters.count > 3 { violation = "a fourth late use went unnoticed" }
        if zip(counters, counters.dropFirst()).contains(where: { $1 - $0 <= 1 }) {
            violation = "two late uses in a row went unnoticed"
        }
    }
}
