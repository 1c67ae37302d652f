internal import KeyturnBase
internal import Model

/// What `keyturn audit verify` found, for people and for programs.
struct AuditVerificationReport {
    private let verification: AuditVerification
    private let head: AuditHead
    private let hasSecrets: Bool

    /// Findings that are listed; the rest is counted.
    private static let listed = 20

    init(_ verification: AuditVerification, _ head: AuditHead, hasSecrets: Bool) {
        self.verification = verification
        self.head = head
        self.hasSecrets = hasSecrets
    }

    var json: JSONValue {
        var members: [String: JSONValue] = [
            "intact": .bool(verification.findings.isEmpty), "events": .integer(Int64(verification.events)),
            "events_before_chain": .integer(Int64(verification.earlier)),
            "events_with_erased_values": .integer(Int64(verification.erased)),
            "checkpoints": .integer(Int64(verification.confirmed)), "signatures_checked": .bool(hasSecrets),
            "number": .integer(head.number), "digest": .string(Base16.encode(head.digest)),
            "findings": .array(verification.findings.map { .string(Self.sentence($0)) }),
        ]
        if let checkpoint = verification.lastConfirmed {
            members["checkpoint_number"] = .integer(checkpoint.number)
            members["checkpoint_at"] = .integer(checkpoint.at.rawValue)
        }
        return .object(members)
    }

    var text: String {
        var lines = ["\(verification.events) events follow each other\(beginning)."]
        if verification.earlier > 0 {
            lines.append("\(verification.earlier) events before them are of a release without the chain.")
        }
        if verification.erased > 0 {
            lines.append("The values of \(verification.erased) events went with their users.")
        }
        lines.append(signed)
        if head.number > 0 { lines.append("Event \(head.number) is the newest: \(Base16.encode(head.digest))") }
        guard !verification.findings.isEmpty else { return lines.joined(separator: "\n") }
        lines.append("Not as it was written:")
        lines += verification.findings.prefix(Self.listed).map { "  \(Self.sentence($0))" }
        let more = verification.findings.count - Self.listed
        if more > 0 { lines.append("  and \(more) more") }
        return lines.joined(separator: "\n")
    }

    private var beginning: String {
        guard let first = verification.first, !first.isBeginning else { return "" }
        return ", from event \(first.number) on; what was before it is not there any more"
    }

    private var signed: String {
        guard let last = verification.lastConfirmed else {
            return "The server has signed nothing yet: it does so once an hour, and when it stops."
        }
        let count =
            "\(verification.confirmed) checkpoints agree, the last one of \(Report.text(last.at)) for event \(last.number)"
        return hasSecrets
            ? "\(count)." : "\(count). Whether the server made them is unknown: its secrets are not at hand."
    }

    private static func sentence(_ finding: AuditVerification.Finding) -> String {
        switch finding {
        case .broken(let number, let previous):
            "event \(number) does not continue event \(previous): one was changed, or one in between removed or added"
        case .unchained(let number): "event \(number) is not in the chain: it was added later, or by an earlier release"
        case .endMissing(let number): "event \(number) was changed, or events after it were removed"
        case .notAsSigned(let number): "event \(number) is not as the server signed it, or is gone"
        case .forgedCheckpoint(let number): "the checkpoint of event \(number) was not made with the server's secrets"
        case .changesAltered(let number): "the values before and after event \(number) are not those that were written"
        case .changesMissing(let number): "the values before and after event \(number) were removed"
        case .digestMissing: "no event has the digest that was given"
        }
    }
}
