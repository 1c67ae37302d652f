public import KeyturnBase

/// Finds a copy of a refresh token that is used beside the original, rotation for rotation, always within the minute in
/// which ``RefreshRules`` takes it for a retry.
///
/// One such use looks like a retry after a lost answer. But two holders of one token take turns: the network or the kind
/// of client changes at a rotation, and back at the next. A device that tries again changes only when it moves. So what
/// is counted are the changes in rotations running that two parties used. A rotation that one party had alone begins the
/// count anew: the other one is late then, and ``RefreshRules`` finds it.
public enum ShadowRules {
    /// So many changes of hands are told: one at the first rotation that two parties use, and two at each that follows
    /// if the same party is first. Those are three rotations; parties that take turns in being first need five.
    public static let changesMin = 5
    /// A grant is not told of again for so long, in seconds.
    public static let tellAgainSeconds: Int64 = 86_400

    /// Rotations running, each of which two parties used.
    public struct Run: Hashable, Sendable {
        /// The counter of the token that was given at the last one: what both parties present next.
        public let given: Int64
        /// Who was second at the last one.
        public let last: RefreshParty
        /// The changes of hands, at most ``changesMin``.
        public let changes: Int

        public init(given: Int64, last: RefreshParty, changes: Int) {
            self.given = given
            self.last = last
            self.changes = min(changes, changesMin)
        }
    }

    /// What a grant keeps for the judgement.
    public struct Row: Hashable, Sendable {
        /// Who raised the counter last.
        public let refreshedBy: RefreshParty
        /// `nil`: no rotation was used by two parties.
        public let run: Run?
        /// When the user was told last.
        public let toldAt: UnixTime?

        public init(refreshedBy: RefreshParty, run: Run?, toldAt: UnixTime?) {
            self.refreshedBy = refreshedBy
            self.run = run
            self.toldAt = toldAt
        }
    }

    /// What is to be kept, and whether to tell.
    public struct Finding: Hashable, Sendable {
        public let run: Run
        /// Whether the token has two holders, of which nothing was told within ``tellAgainSeconds``.
        public let isTold: Bool
    }

    /// Judges a use of a superseded token that ``RefreshRules`` answers.
    ///
    /// - Parameters:
    ///   - presented: the counter of the token.
    ///   - tokens: the grant's counter and rotations.
    /// - Returns: `nil`: nothing is to be kept.
    public static func judge(
        _ party: RefreshParty, presented: Int64, _ tokens: RefreshRules.Row, _ row: Row, at now: UnixTime
    ) -> Finding? {
        guard !party.mayBe(row.refreshedBy) else { return nil }
        var changes = 1
        if let run = row.run {
            // This rotation is counted; or an older request was held up, or arrives again.
            if run.given >= tokens.counter || presented < run.given { return nil }
            if presented == run.given {
                changes = run.changes + (row.refreshedBy.mayBe(run.last) ? 1 : 2)
            } else if let supersededAt = tokens.supersededAt(run.given),
                now <= supersededAt + RefreshRules.overlapSeconds
            {
                // The other party may still come with the token that both got: one with two networks must not be able to
                // begin the count anew.
                return nil
            }
        }
        let isQuiet = row.toldAt.map { now >= $0 + tellAgainSeconds } ?? true
        return Finding(
            run: Run(given: tokens.counter, last: party, changes: changes), isTold: changes >= changesMin && isQuiet)
    }
}

/// What happens to a session whose refresh tokens two clients use in turn.
public enum ShadowedSessions: String, Hashable, Sendable, CaseIterable {
    /// Its user and the operator are told.
    case tell
    /// It ends as well.
    case end
}
