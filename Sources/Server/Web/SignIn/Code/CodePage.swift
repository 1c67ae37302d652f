/// A method by which users verify who they are.
enum VerificationMethod: Sendable, Hashable, CaseIterable {
    case passkey, password, email, codeOrLink, sms, whatsapp, voice, numberedLink, numberedTextLink, authenticator
    case recoveryCode
}

/// The source of a one-time code.
enum CodeChannel: Sendable, CaseIterable {
    case email, sms, whatsapp, voice, authenticator
}

/// The choice of a verification method.
struct MethodsPage: Page {
    enum Purpose: Sendable, CaseIterable {
        case signIn
        /// After a verified first factor.
        case secondFactor
        /// The user is signed in; the app wants more factors, or the change is sensitive.
        case stepUp
        /// After a verified first factor, where the second one must be a passkey.
        case passkey
    }

    struct Option: Sendable {
        let method: VerificationMethod
        /// The value of `method` in the form.
        let value: String
        /// The masked address that the message goes to.
        let destination: String?
    }

    static let template = PageTemplate.methods
    static let name = "methods"
    let form: PageForm
    let purpose: Purpose
    let appName: String
    /// The options, the best first.
    let options: [Option]
    /// A passkey, shown before all options.
    var passkey: PasskeyButton?
    /// Why a passkey was refused.
    var problem: PasskeyRefusal?
    var signals: [PasskeySignal] = []
    /// Whether the page leads to the removal of a second factor that was lost.
    var canBeLost = false

    var redirectOrigins: [String] { form.redirectOrigins }
    var usesPasskeys: Bool { passkey != nil }

    func title(_ strings: Strings) -> String { strings.proof.methodsHeading(purpose) }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "lead": strings.proof.methodsLead(purpose, appName), "cancel": strings.cancel,
            "options": options.map { option in
                [
                    "value": option.value, "name": strings.proof.method(option.method),
                    "sentence": strings.proof.methodSentence(option.method, option.destination),
                ]
            },
        ]
        if let passkey {
            var button = passkey.values(strings, style: "choice", label: strings.proof.method(.passkey))
            button["sentence"] = strings.proof.methodSentence(.passkey, nil)
            values["passkey"] = button
        }
        if options.isEmpty { values["onlyPasskeys"] = strings.passkey.onlyPasskeys }
        values["problem"] = problem.map(strings.passkey.refusal)
        if canBeLost { values["lost"] = strings.lost.link }
        return form.values(values)
    }
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
    case busy

    func text(_ strings: Strings) -> String {
        switch self {
        case .wrong: strings.proof.codeWrong
        case .used: strings.proof.codeUsed
        case .expired: strings.proof.codeExpired
        case .tooManyAttempts(let seconds): strings.proof.tooManyAttempts(strings.time.duration(seconds))
        case .tooManyCodes(let seconds): strings.proof.tooManyCodes(strings.time.duration(seconds))
        case .busy: strings.busy
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
        switch self {
        case .never: nil
        case .now: ["label": strings.proof.sendAgain]
        case .after(let seconds):
            [
                "label": strings.proof.sendAgain,
                "wait": [
                    "seconds": seconds, "text": strings.proof.sendAgainAfter(strings.time.duration(seconds)),
                    "counting": strings.proof.sendAgainIn,
                ],
            ]
        }
    }
}

/// The field for a one-time code.
struct CodePage: Page {
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

    var redirectOrigins: [String] { form.redirectOrigins }
    var usesPasskeys: Bool { passkey != nil }

    func title(_ strings: Strings) -> String { strings.proof.codeHeading(channel) }

    func values(_ strings: Strings) -> [String: Any] {
        let destination = destination ?? ""
        var values: [String: Any] = [
            "heading": title(strings), "text": strings.proof, "cancel": strings.cancel, "hasOtherWays": hasOtherWays,
            "lead": hasLink
                ? strings.proof.codeOrLinkLead(destination) : strings.proof.codeLead(channel, destination),
        ]
        values["isCodeWrong"] = problem != nil
        values["problem"] = problem?.text(strings) ?? passkeyProblem.map(strings.passkey.refusal)
        values["passkey"] = passkey?.values(strings, label: strings.passkey.useInstead)
        if wasSentAgain, problem == nil { values["notice"] = strings.proof.sentAgain }
        values["resend"] = resending.values(strings)
        if canBeLost { values["lost"] = strings.lost.link }
        return form.values(values)
    }
}

/// The field for a recovery code.
struct RecoveryPage: Page {
    static let template = PageTemplate.recovery
    static let name = "recovery"
    let form: PageForm
    let problem: CodeProblem?
    let hasOtherWays: Bool
    /// A passkey that replaces the code.
    var passkey: PasskeyButton?
    var passkeyProblem: PasskeyRefusal?
    var signals: [PasskeySignal] = []
    /// Whether the page leads to the removal of a second factor that was lost.
    var canBeLost = false

    var redirectOrigins: [String] { form.redirectOrigins }
    var usesPasskeys: Bool { passkey != nil }

    func title(_ strings: Strings) -> String { strings.proof.recoveryHeading }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "lead": strings.proof.recoveryLead, "text": strings.proof,
            "cancel": strings.cancel, "hasOtherWays": hasOtherWays,
        ]
        if case .wrong = problem {
            values["problem"] = strings.proof.recoveryWrong
        } else {
            values["problem"] = problem?.text(strings) ?? passkeyProblem.map(strings.passkey.refusal)
        }
        values["isCodeWrong"] = problem != nil
        values["passkey"] = passkey?.values(strings, label: strings.passkey.useInstead)
        if canBeLost { values["lost"] = strings.lost.link }
        return form.values(values)
    }
}

/// Something is done; the page says so and shows the way on.
struct DonePage: Page {
    enum Kind: Sendable, CaseIterable {
        /// The user confirmed a link: the window where the sign-in began continues by itself.
        case linkConfirmed
        /// The user refused a link: no sign-in happened.
        case linkRefused
        case addressVerified, passwordChanged, accountDeleted, cancelled
        /// The removal of a second factor was cancelled: it stays.
        case recoveryCancelled
    }

    /// A link to continue with.
    struct Way: Sendable {
        let uri: String
        /// The app whose page it is; `nil`: this server's own settings.
        let appName: String?
    }

    static let template = PageTemplate.done
    static let name = "done"
    let kind: Kind
    let way: Way?

    func title(_ strings: Strings) -> String { strings.link.doneHeading(kind) }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "lead": strings.link.doneLead(kind),
            "isGood": [.linkConfirmed, .addressVerified, .passwordChanged, .recoveryCancelled].contains(kind),
        ]
        values["way"] = way.map { way in
            [
                "uri": way.uri, "style": kind == .passwordChanged ? "primary" : "way",
                "label": kind == .linkRefused ? strings.link.changePassword : strings.link.onward(way.appName),
            ]
        }
        return values
    }
}
