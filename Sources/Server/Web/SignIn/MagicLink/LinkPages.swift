/// The page that a message's link opens. Opening it does not use the link up: mail scanners open every link.
struct LinkPage: FormPage {
    /// What the user who confirms the link agrees to.
    enum Purpose: Sendable, Hashable, CaseIterable {
        case signIn, signUp, passwordReset
        /// Adds an address to an account; signs no user in.
        case newAddress
    }

    /// What the link would do.
    struct Attempt: Sendable {
        var purpose = Purpose.signIn
        let appName: String
        /// Such as “Firefox on Linux”; `nil` if unknown.
        let device: String?
        let secondsAgo: Int
        /// Whether it began in this browser.
        var isHere: Bool
        /// The number of an enchanted link, which the window where it began shows.
        let number: String?
        /// The account that gets the new address, masked.
        var account: String?
        /// The new address.
        var newAddress: String?
        /// Whether the message also holds a code, which the user types where the sign-in began.
        var hasCode = false
    }

    enum State: Sendable {
        case ready(token: String, Attempt)
        case unknown
        case expired
        case used
        /// The link was valid, but its action is not possible any more.
        case failed
    }

    /// A way on, for a state without a next step.
    enum Way: Sendable, Hashable {
        /// The user can type the code of the same message here.
        case code(String)
        /// The user can begin again in this browser.
        case again(String)
        /// The user's own settings, with the devices that are signed in.
        case settings(String)
        /// This server's own sign-in, if no transaction waits.
        case signIn(String)
    }

    static let template = PageTemplate.link
    static let name = "link"
    let form: PageForm
    let state: State
    let way: Way?

    func title(_ strings: Strings) -> String {
        let text = strings[LinkStrings.self]
        return switch state {
        case .ready(_, let attempt): text.readyHeading(attempt.purpose, attempt.appName)
        case .unknown: text.unknownHeading
        case .expired: text.expiredHeading
        case .used: text.usedHeading
        case .failed: text.failedHeading
        }
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[LinkStrings.self]
        var values: [String: Any] = ["heading": title(strings), "text": text]
        switch way {
        case .code(let uri): values["way"] = ["uri": uri, "label": text.typeCode]
        case .again(let uri): values["way"] = ["uri": uri, "label": text.beginAgain]
        case .settings(let uri): values["way"] = ["uri": uri, "label": strings.onward(nil)]
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
        let text = strings[LinkStrings.self]
        var facts = [(text.begunFor, attempt.appName)]
        if let account = attempt.account { facts.append((text.account, account)) }
        if let address = attempt.newAddress { facts.append((text.newAddress, address)) }
        facts += [
            (text.begunOn, attempt.isHere ? text.here : attempt.device ?? strings.deviceUnknown),
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

/// Waits until the user opens the link in a message.
///
/// It is the answer to a GET, which moves on once the link is confirmed. With scripts, the page asks ``pollURI`` every
/// few seconds, which answers 204 while nothing has happened; without scripts, the page reloads itself.
struct LinkSentPage: FormPage {
    static let template = PageTemplate.linkSent
    static let name = "link-sent"
    static let polls = true
    let form: PageForm
    let channel: CodeChannel
    /// The masked address of the message.
    let destination: String
    /// The two digits of an enchanted link; `nil` for a magic link.
    let number: String?
    let pollURI: String
    /// Whether the link has expired.
    let isExpired: Bool
    let wasSentAgain: Bool
    let resending: Resending
    /// Whether the message holds a code that the user can type instead.
    let hasCode: Bool
    let hasOtherWays: Bool

    var refreshSeconds: Int? { isExpired ? nil : 5 }

    func title(_ strings: Strings) -> String { strings[CodeStrings.self].heading(channel) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[LinkStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "cancel": strings.cancel, "hasCode": hasCode,
            "hasOtherWays": hasOtherWays, "otherWays": strings[CodeStrings.self].otherWays,
            "lead": number == nil ? text.sentLead(destination) : text.sentNumberLead(destination),
        ]
        if isExpired {
            values["problem"] = text.sentExpired
        } else {
            values["number"] = number
            values["poll"] = pollURI
            if wasSentAgain { values["notice"] = text.sentAgain }
        }
        values["resend"] = resending.values(strings)
        return form.values(values)
    }
}
