public import KeyturnBase

/// What a refresh means when the guarded update did not match: an honest retry, or a replay.
///
/// The current refresh token can be derived again, so a retry with an older one gets the same successor: a lost answer
/// signs no user out, and a copied token starts no second chain.
public enum RefreshRules {
    /// For so long after it was superseded, a token gets the current one again, however many rotations lie between:
    /// tabs, processes, retries. In seconds.
    public static let overlapSeconds: Int64 = 60
    /// How many repetitions after the overlap are forgiven in the life of a grant: lost answers, noticed late. Never
    /// two in a row.
    public static let lateRepetitionsMax: Int64 = 3

    /// One rotation: the token of `counter` was superseded at `time`.
    public struct Rotation: Hashable, Sendable {
        public let time: UnixTime
        public let counter: Int64

        public init(time: UnixTime, counter: Int64) {
            self.time = time
            self.counter = counter
        }
    }

    /// The row as it was found.
    public struct Row: Hashable, Sendable {
        /// The current token's.
        public let counter: Int64
        /// The newest rotation and those of the minute before it, newest first. One entry a second: that of the first
        /// token superseded in it.
        public let rotations: [Rotation]
        /// When a late repetition was forgiven last, and ``counter`` at the time; `nil` if none was.
        public let lateRepetition: Rotation?
        /// How many late repetitions were forgiven.
        public let lateRepetitions: Int64

        public init(counter: Int64, rotations: [Rotation], lateRepetition: Rotation? = nil, lateRepetitions: Int64 = 0)
        {
            self.counter = counter
            self.rotations = rotations
            self.lateRepetition = lateRepetition
            self.lateRepetitions = lateRepetitions
        }

        /// When the token of `counter` was superseded; `nil` if before the oldest of ``rotations``.
        func supersededAt(_ counter: Int64) -> UnixTime? {
            rotations.first { $0.counter <= counter }?.time
        }
    }

    /// What to do with a token that is not the current one.
    public enum Verdict: Hashable, Sendable {
        /// Return the current token again.
        case repeatSuccessor
        /// Return the current token again, and note that a late repetition was forgiven.
        case forgiveLate
        /// Take it as the current token: the row is behind it.
        case ahead
        /// End the grant.
        case replay
    }

    /// A refresh token as a client presents it.
    public struct Presented: Hashable, Sendable {
        public let counter: Int64
        public let clientID: String
        /// The key that the request proved possession of; `nil` if none.
        public let keyThumbprint: String?
        /// Who presents it.
        public let party: RefreshParty

        public init(counter: Int64, clientID: String, keyThumbprint: String?, party: RefreshParty) {
            self.counter = counter
            self.clientID = clientID
            self.keyThumbprint = keyThumbprint
            self.party = party
        }
    }

    /// A grant whose guarded update did not match.
    public struct Found: Hashable, Sendable {
        public let grant: Grant
        public let row: Row
        public let isRedeemed: Bool
        /// Whether it is over, and why.
        public let isEnded: Bool
        public let endReason: Grant.EndReason?
        /// What tells a copy that follows each rotation.
        public let shadow: ShadowRules.Row

        public init(
            grant: Grant, row: Row, isRedeemed: Bool, isEnded: Bool, endReason: Grant.EndReason?,
            shadow: ShadowRules.Row
        ) {
            self.grant = grant
            self.row = row
            self.isRedeemed = isRedeemed
            self.isEnded = isEnded
            self.endReason = endReason
            self.shadow = shadow
        }
    }

    /// What the store writes, and what it answers.
    public enum Decision: Hashable, Sendable {
        /// Nothing is written.
        case answer(Renewal)
        /// A late repetition is noted.
        case forgiveLate(isElsewhere: Bool)
        /// The row is raised to the presented token, which then rotates.
        case ahead
        /// The grant ends.
        case replay
    }

    /// Judges a refresh whose guarded update did not match.
    public static func judge(_ presented: Presented, _ found: Found, at now: UnixTime) -> Decision {
        let grant = found.grant
        guard grant.clientID == presented.clientID, found.isRedeemed else { return .answer(.unknown) }
        if found.isEnded { return .answer(.ended(found.endReason)) }
        guard now < grant.idleExpiresAt, now < grant.absoluteExpiresAt else { return .answer(.expired) }
        if let bound = grant.keyThumbprint, bound != presented.keyThumbprint { return .answer(.wrongKey(grant)) }
        switch judge(presented: presented.counter, row: found.row, at: now) {
        case .repeatSuccessor: return .answer(.repeated(grant, .prompt))
        case .forgiveLate:
            guard let last = found.shadow.refreshedBy.network, let network = presented.party.network else {
                return .forgiveLate(isElsewhere: false)
            }
            return .forgiveLate(isElsewhere: last != network)
        case .ahead: return .ahead
        case .replay: return .replay
        }
    }

    /// Judges whether a refresh that is answered again comes from a second holder of the token. See ``ShadowRules``.
    ///
    /// - Returns: `nil`: nothing is to be kept.
    public static func judgeShadow(
        _ presented: Presented, _ found: Found, at now: UnixTime
    ) -> ShadowRules.Finding? {
        ShadowRules.judge(presented.party, presented: presented.counter, found.row, found.shadow, at: now)
    }

    /// Judges a token whose counter was not the current one, or which lost the race to raise it.
    ///
    /// After the overlap only the predecessor of the current token can be honest: the successor of an older one has
    /// been in use. It is forgiven unless the rotation before was forgiven late as well, so that a thief beside a slow
    /// owner is found at the second late use in a row, and at the fourth in any case. The answer to a late repetition
    /// can get lost, too: it is repeated within the overlap.
    ///
    /// A token with a higher counter was issued, since its MAC is ours, and the row does not know: the database lost its
    /// last commits in a failover, or is a restored backup. It is no sign of a thief.
    public static func judge(presented counter: Int64, row: Row, at now: UnixTime) -> Verdict {
        if counter > row.counter { return .ahead }
        guard counter < row.counter, let supersededAt = row.supersededAt(counter) else { return .replay }
        if now <= supersededAt + overlapSeconds { return .repeatSuccessor }
        guard counter == row.counter - 1 else { return .replay }
        if let late = row.lateRepetition {
            if late.counter == row.counter, now <= late.time + overlapSeconds { return .repeatSuccessor }
            if late.counter >= row.counter - 1 { return .replay }
        }
        return row.lateRepetitions < lateRepetitionsMax ? .forgiveLate : .replay
    }
}
