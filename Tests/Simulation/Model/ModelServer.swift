import enum Model.RefreshRules
import KeyturnBase

/// The server's side of the model: one row a grant, judged by the server's own ``RefreshRules``.
struct ModelServer: Hashable {
    struct Grant: Hashable {
        var counter: Int64 = 0
        var rotations: [RefreshRules.Rotation] = []
        var lateRepetition: RefreshRules.Rotation?
        var lateRepetitions: Int64 = 0
        var isEnded = false
        let isBound: Bool
        /// What the specification knows and the row does not: when each token was superseded, by its counter.
        var supersededAt: [UnixTime] = []
        /// The late repetitions that were answered.
        var lateAnswers: [RefreshRules.Rotation] = []

        init(isBound: Bool) {
            self.isBound = isBound
        }

        /// The row that the rules judge.
        var row: RefreshRules.Row {
            RefreshRules.Row(
                counter: counter, rotations: rotations, lateRepetition: lateRepetition,
                lateRepetitions: lateRepetitions)
        }

        /// How late the token of an earlier counter is.
        func lateness(of presented: Int64, at now: UnixTime) -> Lateness {
            if now.seconds(since: supersededAt[Int(presented)]) <= 60 { return .prompt }
            guard presented == counter - 1 else { return .tooLate }
            if let last = lateAnswers.last {
                if last.counter == counter, now.seconds(since: last.time) <= 60 { return .prompt }
                if last.counter >= counter - 1 { return .tooLate }
            }
            return lateAnswers.count < 3 ? .forgivable : .tooLate
        }

        mutating func rotate(to next: Int64, at now: UnixTime) {
            let newest = RefreshRules.Rotation(time: now, counter: counter)
            if let last = rotations.first, now.seconds(since: last.time) <= RefreshRules.overlapSeconds {
                if last.time != now { rotations.insert(newest, at: 0) }
            } else {
                rotations = [newest]
            }
            counter = next
            supersededAt.append(now)
        }

        /// Replaces every date: what differs only in dates that no rule looks at is one state.
        mutating func redate(_ date: (UnixTime) -> UnixTime) {
            func redated(_ rotation: RefreshRules.Rotation) -> RefreshRules.Rotation {
                RefreshRules.Rotation(time: date(rotation.time), counter: rotation.counter)
            }
            supersededAt = supersededAt.map(date)
            rotations = rotations.map(redated)
            lateRepetition = lateRepetition.map(redated)
            lateAnswers = lateAnswers.map(redated)
        }

        mutating func forgiveLate(at now: UnixTime) {
            lateRepetition = RefreshRules.Rotation(time: now, counter: counter)
            lateRepetitions += 1
        }
    }

    /// How late the token of a counter is, by the specification's own numbers, which what is planted in the code cannot
    /// change.
    enum Lateness: Hashable {
        /// Superseded within the last minute; or repeated within a minute of a late repetition that was answered.
        case prompt
        /// Later, and within what is promised to be forgiven.
        case forgivable
        /// Later, and a sign of a thief.
        case tooLate
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
        judge: (Int64, Grant) -> RefreshRules.Verdict
    ) -> Answer {
        let grant = grants[index]
        guard !grant.isEnded else { return .invalidGrant }
        if grant.isBound { return hasKey && counter == grant.counter ? .granted(counter) : .invalidGrant }
        if counter == grant.counter { return rotate(index, to: counter + 1, at: now) }
        switch judge(counter, grant) {
        case .repeatSuccessor: return .granted(grant.counter)
        case .forgiveLate:
            grants[index].forgiveLate(at: now)
            return .granted(grant.counter)
        case .replay:
            grants[index].isEnded = true
            return .invalidGrant
        }
    }

    mutating func rotate(_ index: Int, to counter: Int64, at now: UnixTime) -> Answer {
        grants[index].rotate(to: counter, at: now)
        issued[index] = max(issued[index], counter)
        return .granted(counter)
    }
}

/// The rules as they were: the predecessor alone converges, and once a day a late repetition is forgiven.
enum FormerRules {
    static func judge(_ counter: Int64, _ grant: ModelServer.Grant, at now: UnixTime) -> RefreshRules.Verdict {
        guard counter == grant.counter - 1, let rotatedAt = grant.supersededAt.last else { return .replay }
        if now <= rotatedAt + 60 { return .repeatSuccessor }
        guard let lateAt = grant.lateRepetition?.time else { return .forgiveLate }
        if lateAt >= rotatedAt, now <= lateAt + 60 { return .repeatSuccessor }
        return now >= lateAt + 86_400 ? .forgiveLate : .replay
    }
}
