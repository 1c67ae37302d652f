internal import KeyturnBase
internal import Model

/// The rotations of the last minute in one column: 8 hexadecimal digits of the time and 8 of the counter for each,
/// newest first.
enum RotationColumn {
    /// One entry for each second of the overlap, and one for the second in which it begins.
    private static let digitsMax = 16 * (RefreshRules.overlapSeconds + 1)

    /// The column's value after the current token is superseded, for a statement with the time as `?1`. Tokens that
    /// were superseded in the same second share an entry; entries older than the last minute are dropped.
    static func afterRotation(_ sql: any SQLFragments) -> String {
        let newest = "\(sql.hexadecimal("?1")) || \(sql.hexadecimal("counter"))"
        return """
            CASE WHEN rotated_at = ?1 THEN rotations
                WHEN rotated_at >= ?1 - \(RefreshRules.overlapSeconds)
                THEN substr(\(newest) || rotations, 1, \(digitsMax))
                ELSE \(newest) END
            """
    }

    static func read(_ text: String?) throws -> [RefreshRules.Rotation] {
        let digits = Array((text ?? "").utf8)
        return try stride(from: 0, to: digits.count, by: 16).map { start in
            guard start + 16 <= digits.count, let time = number(digits[start..<start + 8]),
                let counter = number(digits[start + 8..<start + 16])
            else { throw SQLProblem.damagedRow }
            return RefreshRules.Rotation(time: UnixTime(rawValue: time), counter: counter)
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        Int64(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}

extension SQLRow {
    /// A row with ``GrantColumns/withState`` whose refresh was refused.
    func refresh() throws -> RefreshRules.Found {
        let grant = try grant()
        return RefreshRules.Found(
            grant: grant, row: try refreshState(of: grant), isRedeemed: optionalTime("redeemed_at") != nil,
            isEnded: optionalTime("ended_at") != nil,
            endReason: (self["end_reason"] as String?).flatMap(Grant.EndReason.init(rawValue:)),
            shadow: try shadow())
    }

    /// What decides about a refresh token of `grant` that is not the current one.
    func refreshState(of grant: Grant) throws -> RefreshRules.Row {
        var late: RefreshRules.Rotation?
        if let time = optionalTime("late_retry_at"), let counter = self["late_counter"] as Int64? {
            late = RefreshRules.Rotation(time: time, counter: counter)
        }
        return RefreshRules.Row(
            counter: grant.counter, rotations: try RotationColumn.read(self["rotations"]), lateRepetition: late,
            lateRepetitions: self["late_repetitions"])
    }
}
