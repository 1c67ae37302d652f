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
        /// The grant before its last rotation, at most one, if the database can still lose that rotation. Every other
        /// change is written in a way that keeps what was before it as well.
        var unkept: [Grant] = []

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
            let superseded = max(1, Int(next - counter))
            let newest = RefreshRules.Rotation(time: now, counter: counter)
            if let last = rotations.first, now.seconds(since: last.time) <= RefreshRules.overlapSeconds {
                if last.time != now { rotations.insert(newest, at: 0) }
            } else {
                rotations = [newest]
            }
            counter = next
            supersededAt += Array(repeating: now, count: superseded)
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
            for index in unkept.indices { unkept[index].redate(date) }
        }

        mutating func forgiveLate(at now: UnixTime) {
            lateRepetition = RefreshRules.Rotation(time: now, counter: counter)
            lateRepetitions += 1
            unkept = []
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
    /// The highest counter that anybody was ever given, by grant, as far as the database knows.
    var issued: [Int64]
    /// Whether the database may lose its last commit.
    let isLossy: Bool

    init(isBound: Bool, isLossy: Bool = false) {
        self.isLossy = isLossy
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
        case .ahead:
            return rotate(index, to: counter + 1, at: now)
        case .replay:
            grants[index].isEnded = true
            grants[index].unkept = []
            return .invalidGrant
        }
    }

    mutating func rotate(_ index: Int, to counter: Int64, at now: UnixTime) -> Answer {
        var before = grants[index]
        before.unkept = []
        grants[index].rotate(to: counter, at: now)
        if isLossy { grants[index].unkept = [before] }
        issued[index] = max(issued[index], counter)
        return .granted(counter)
    }

    /// The database loses the last rotation of a grant, which was acknowledged.
    mutating func loseLastCommit(of index: Int) {
        guard let before = grants[index].unkept.first, !grants[index].isEnded else { return }
        grants[index] = before
        issued[index] = before.counter
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
