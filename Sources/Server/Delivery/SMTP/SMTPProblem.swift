/// Why a conversation with a mail server did not end with the mail in its hands.
struct SMTPProblem: Error, Hashable, Sendable {
    let outcome: DeliveryOutcome

    static func unreachable(_ reason: String) -> SMTPProblem {
        SMTPProblem(outcome: .unreachable(reason: reason))
    }

    static func temporary(_ reason: String) -> SMTPProblem {
        SMTPProblem(outcome: .temporary(reason: reason))
    }

    static func permanent(_ reason: String) -> SMTPProblem {
        SMTPProblem(outcome: .permanent(reason: reason))
    }
}
