internal import Foundation
internal import KeyturnBase
internal import Model

/// Copies of a refresh token that follow each rotation.
extension SQLGrantStore {
    /// More tries than callers that use one token in the same moment and come from different parties.
    private static let shadowAttemptsMax = 3

    /// Keeps what ``ShadowRules`` find in a refresh that is answered again. Nothing is written for a retry.
    static func judgeShadow(
        _ presented: RefreshRules.Presented, _ first: RefreshRules.Found, _ repetition: Renewal.Repetition,
        _ shadowed: ShadowedSessions, _ db: SQLSession, at now: UnixTime
    ) throws -> Renewal {
        let key = Data(first.grant.id.bytes)
        var found = first
        for _ in 0..<shadowAttemptsMax {
            guard let finding = RefreshRules.judgeShadow(presented, found, at: now) else { break }
            if try keep(finding, after: found, db, at: now) {
                guard finding.isTold else { break }
                if shadowed == .end { try end("id = ?", [key], .shadowed, db, at: now) }
                return .shadowed(found.grant, repetition, isEnded: shadowed == .end)
            }
            // Another use of the same moment was faster.
            guard let row = try db.first(byID, [key]) else { break }
            found = try row.refresh()
            if found.isEnded { return .ended(found.endReason) }
        }
        return .repeated(found.grant, repetition)
    }

    /// - Returns: `false`: the row has changed meanwhile.
    private static func keep(
        _ finding: ShadowRules.Finding, after found: RefreshRules.Found, _ db: SQLSession, at now: UnixTime
    ) throws -> Bool {
        try db.run(
            """
            UPDATE grant_ SET shadow = ?1, shadowed_at = CASE WHEN ?2 = 1 THEN ?3 ELSE shadowed_at END
            WHERE id = ?4 AND counter = ?5 AND ended_at IS NULL AND shadow IS NOT DISTINCT FROM ?6
            """,
            [
                RunColumn.text(finding.run), finding.isTold, now.rawValue, Data(found.grant.id.bytes),
                found.grant.counter, found.shadow.run.map(RunColumn.text),
            ]) > 0
    }
}

/// A run of ``ShadowRules`` in one column: counter, changes, and the kind of client and network of the last party, with a
/// line for each.
enum RunColumn {
    static func text(_ run: ShadowRules.Run) -> String {
        [
            String(run.given), String(run.changes), line(run.last.client), line(run.last.network),
        ].joined(separator: "\n")
    }

    /// An empty line is unknown.
    private static func line(_ text: String?) -> String {
        (text ?? "").split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    static func read(_ text: String) throws -> ShadowRules.Run {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 4, let given = Int64(lines[0]), let changes = Int(lines[1]) else {
            throw SQLProblem.damagedRow
        }
        let last = RefreshParty(
            network: lines[3].isEmpty ? nil : lines[3], client: lines[2].isEmpty ? nil : lines[2])
        return ShadowRules.Run(given: given, last: last, changes: changes)
    }
}

extension SQLRow {
    /// What tells a copy that follows each rotation, from a row with ``GrantColumns/withState``.
    func shadow() throws -> ShadowRules.Row {
        ShadowRules.Row(
            refreshedBy: RefreshParty(network: self["refresh_network"], client: self["refresh_client"]),
            run: try (self["shadow"] as String?).map(RunColumn.read), toldAt: optionalTime("shadowed_at"))
    }
}
