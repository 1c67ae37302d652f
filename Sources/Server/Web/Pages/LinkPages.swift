/// Where a link from a message lands. Showing it spends nothing: machines that look into mail open every link.
struct LinkPage: Page {
    /// What whoever confirms it agrees to.
    enum Purpose: Sendable, Hashable, CaseIterable {
        case signIn, signUp, passwordReset
        /// Another address for an account: nobody is signed in by it.
        case newAddress
    }

    /// What the link would do.
    struct Attempt: Sendable {
        var purpose = Purpose.signIn
        let appName: String
        /// Such as “Firefox on Linux”; `nil` if it is not known.
        let device: String?
        let secondsAgo: Int
        /// Whether it began in this very browser.
        var isHere: Bool
        /// The number that the window where it began shows, for an enchanted link.
        let number: String?
        /// The account that gets another address, masked.
        var account: String?
        /// That address.
        var newAddress: String?
        /// Whether the same message holds a code, which is typed where it began.
        var hasCode = false
    }

    enum State: Sendable {
        case ready(token: String, Attempt)
        case unknown
        case expired
        case used
        /// It was good, and what it was for cannot be done any more.
        case failed
    }

    /// A way out of a state that leads nowhere.
    enum Way: Sendable, Hashable {
        /// A code from the same message can be typed here.
        case code(String)
        /// What was begun in this browser can be begun once more.
        case again(String)
        /// The person's own settings, to look at where they are signed in.
        case settings(String)
        /// This server's own sign-in, where nothing waits.
        case signIn(String)
    }

    static let template = "link"
    static let name = "link"
    let form: PageForm
    let state: State
    let way: Way?

    var redirectOrigins: [String] { form.redirectOrigins }

    func title(_ strings: Strings) -> String {
        switch state {
        case .ready(_, let attempt): strings.link.readyHeading(attempt.purpose, attempt.appName)
        case .unknown: strings.link.unknownHeading
        case .expired: strings.link.expiredHeading
        case .used: strings.link.usedHeading
        case .failed: strings.link.failedHeading
        }
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings.link
        var values: [String: Any] = ["heading": title(strings), "text": text]
        switch way {
        case .code(let uri): values["way"] = ["uri": uri, "label": text.typeCode]
        case .again(let uri): values["way"] = ["uri": uri, "label": text.beginAgain]
        case .settings(let uri): values["way"] = ["uri": uri, "label": text.onward(nil)]
        case .signIn(let uri): values["way"] = ["uri": uri, "label": text.signIn]
        case nil: break
        }
        switch state {
        case .ready(let token, let attempt):
            values["ready"] = ready(token, attempt, strings)
            values["lead"] = attempt.number == nil ? text.readyLead(attempt.purpose) : text.numberLead
        case .unknown: values["problem"] = text.unknownAdvice
        case .expired: values["problem"] = text.expiredAdvice
        case .used: values["problem"] = text.usedAdvice
        case .failed: values["problem"] = text.failedAdvice
        }
        return form.values(values)
    }

    private func ready(_ token: String, _ attempt: Attempt, _ strings: Strings) -> [String: Any] {
        let text = strings.link
        var facts = [(text.begunFor, attempt.appName)]
        if let account = attempt.account { facts.append((text.account, account)) }
        if let address = attempt.newAddress { facts.append((text.newAddress, address)) }
        facts += [
            (text.begunOn, attempt.isHere ? text.here : attempt.device ?? text.deviceUnknown),
            (text.begunWhen, strings.time.since(attempt.secondsAgo)),
        ]
        var ready: [String: Any] = [
            "token": token, "facts": facts.map { ["name": $0.0, "value": $0.1] },
            "confirm": attempt.number == nil ? text.confirm(attempt.purpose) : text.confirmNumber(attempt.purpose),
        ]
        ready["number"] = attempt.number
        if !attempt.isHere { ready["warning"] = text.elsewhere(attempt.purpose) }
        if !attempt.isHere, attempt.hasCode { ready["hint"] = text.codeElsewhere }
        return ready
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
    let channel: CodeChannel
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

    func title(_ strings: Strings) -> String { strings.proof.codeHeading(channel) }

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
