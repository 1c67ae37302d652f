/// The source of a one-time code.
enum CodeChannel: Sendable, CaseIterable {
    case email, sms, whatsapp, voice, authenticator
}

/// Why a code was refused.
enum CodeProblem: Sendable {
    case wrong
    /// The code of an authenticator app that was already accepted a moment ago.
    case used
    case expired
    case tooManyAttempts(retryAfterSeconds: Int)
    /// Until then neither this code nor a newer one is compared.
    case tooManyCodes(retryAfterSeconds: Int)

    func text(_ strings: Strings) -> String {
        let text = strings[CodeStrings.self]
        return switch self {
        case .wrong: text.wrong
        case .used: text.used
        case .expired: text.expired
        case .tooManyAttempts(let seconds): strings.tooManyAttempts(strings.time.duration(seconds))
        case .tooManyCodes(let seconds): text.tooManyCodes(strings.time.duration(seconds))
        }
    }
}

/// Whether a message can be sent again.
enum Resending: Sendable {
    case never
    case after(seconds: Int)
    case now

    /// The values for templates: whether there is a button, and the seconds to wait.
    func values(_ strings: Strings) -> [String: Any]? {
        let text = strings[CodeStrings.self]
        return switch self {
        case .never: nil
        case .now: ["label": text.sendAgain]
        case .after(let seconds):
            [
                "label": text.sendAgain,
                "wait": [
                    "seconds": seconds, "text": text.sendAgainAfter(strings.time.duration(seconds)),
                    "counting": text.sendAgainIn,
                ],
            ]
        }
    }
}

/// The field for a one-time code.
struct CodePage: FormPage {
    static let template = PageTemplate.code
    static let name = "code"
    let form: PageForm
    let channel: CodeChannel
    /// The masked address of the message; `nil` for an authenticator app.
    let destination: String?
    let problem: CodeProblem?
    /// Whether the message was just sent again.
    let wasSentAgain: Bool
    /// Whether the message holds a link that works instead of the code in this browser.
    var hasLink = false
    let resending: Resending
    let hasOtherWays: Bool
    /// A passkey that replaces the code.
    var passkey: PasskeyButton?
    var passkeyProblem: PasskeyRefusal?
    var signals: [PasskeySignal] = []
    /// Whether the page leads to the removal of a second factor that was lost.
    var canBeLost = false

    var usesPasskeys: Bool { passkey != nil }

    func title(_ strings: Strings) -> String { strings[CodeStrings.self].heading(channel) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[CodeStrings.self]
        let destination = destination ?? ""
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "cancel": strings.cancel, "hasOtherWays": hasOtherWays,
            "lead": hasLink
                ? text.codeOrLinkLead(destination) : text.lead(channel, destination),
        ]
        values["isCodeWrong"] = problem != nil
        values["problem"] = problem?.text(strings) ?? passkeyProblem.map(strings[PasskeyStrings.self].refusal)
        values["passkey"] = passkey?.values(strings, label: strings[PasskeyStrings.self].useInstead)
        if wasSentAgain, problem == nil { values["notice"] = text.sentAgain }
        values["resend"] = resending.values(strings)
        if canBeLost { values["lost"] = strings[LostFactorStrings.self].link }
        return form.values(values)
    }
}
