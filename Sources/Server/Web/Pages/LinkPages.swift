/// Where a link from a message lands. Showing it spends nothing: machines that look into mail open every link.
struct LinkPage: Page {
    /// What the link would let in.
    struct Attempt: Sendable {
        let appName: String
        /// Such as “Firefox on Linux”; `nil` if it is not known.
        let device: String?
        let secondsAgo: Int
        /// Whether it began in this very browser.
        let isHere: Bool
        /// The number that the window where it began shows, for an enchanted link.
        let number: String?
    }

    enum State: Sendable {
        case ready(token: String, Attempt)
        case unknown
        case expired
        case used
    }

    static let template = "link"
    static let name = "link"
    let form: PageForm
    let state: State
    /// Where a code from the same message can be typed instead.
    let codeURI: String?

    var redirectOrigins: [String] { form.redirectOrigins }

    func title(_ strings: Strings) -> String {
        switch state {
        case .ready(_, let attempt): strings.link.readyHeading(attempt.appName)
        case .unknown: strings.link.unknownHeading
        case .expired: strings.link.expiredHeading
        case .used: strings.link.usedHeading
        }
    }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = ["heading": title(strings), "text": strings.link]
        values["codeURI"] = codeURI
        switch state {
        case .ready(let token, let attempt):
            var ready: [String: Any] = [
                "token": token, "since": strings.time.since(attempt.secondsAgo),
                "device": attempt.isHere ? strings.link.here : attempt.device ?? strings.link.deviceUnknown,
                "app": attempt.appName, "isElsewhere": !attempt.isHere,
            ]
            ready["number"] = attempt.number
            values["ready"] = ready
            values["lead"] = attempt.number == nil ? strings.link.readyLead : strings.link.numberLead
        case .unknown: values["problem"] = strings.link.unknownAdvice
        case .expired: values["problem"] = strings.link.expiredAdvice
        case .used: values["problem"] = strings.link.usedAdvice
        }
        return form.values(values)
    }
}

/// Waiting for somebody to open a link in a message.
///
/// It is the answer to a GET, which moves on once the link was confirmed: with scripts the page asks ``pollURI`` every
/// few seconds, which answers 204 while nothing has happened; without scripts it is loaded again.
struct LinkSentPage: Page {
    static let template = "linkSent"
    static let name = "link-sent"
    static let polls = true
    let form: PageForm
    /// Where it was sent, masked.
    let destination: String
    /// The two digits of an enchanted link; `nil` for a magic link.
    let number: String?
    let pollURI: String
    /// Whether it is too late.
    let isExpired: Bool
    let wasSentAgain: Bool
    let resending: Resending
    /// Whether the message holds a code that can be typed instead.
    let hasCode: Bool
    let hasOtherWays: Bool

    var redirectOrigins: [String] { form.redirectOrigins }
    var refreshSeconds: Int? { isExpired ? nil : 5 }

    func title(_ strings: Strings) -> String { strings.link.sentHeading }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "text": strings.link, "cancel": strings.cancel, "hasCode": hasCode,
            "hasOtherWays": hasOtherWays, "otherWays": strings.proof.otherWays,
            "lead": number == nil ? strings.link.sentLead(destination) : strings.link.sentNumberLead(destination),
        ]
        if isExpired {
            values["problem"] = strings.link.sentExpired
        } else {
            values["number"] = number
            values["poll"] = pollURI
            if wasSentAgain { values["notice"] = strings.link.sentAgain }
        }
        values["resend"] = resending.values(strings)
        return form.values(values)
    }
}
