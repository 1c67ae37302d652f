/// Something by which people prove who they are.
enum VerificationMethod: Sendable, Hashable, CaseIterable {
    case passkey, password, email, codeOrLink, sms, whatsapp, voice, numberedLink, numberedTextLink, authenticator
    case recoveryCode
}

/// Where a one-time code comes from.
enum CodeChannel: Sendable, CaseIterable {
    case email, sms, whatsapp, voice, authenticator
}

/// Choosing how to prove who one is.
struct MethodsPage: Page {
    enum Purpose: Sendable, CaseIterable {
        case signIn
        /// After a first proof.
        case secondFactor
        /// Signed in already; the app wants more, or what is to be changed is precious.
        case stepUp
        /// After a first proof, where nothing but a passkey does for the second.
        case passkey
    }

    struct Option: Sendable {
        let method: VerificationMethod
        /// Sent as `method` when chosen.
        let value: String
        /// Where something is sent, masked.
        let destination: String?
    }

    static let template = "methods"
    static let name = "methods"
    let form: PageForm
    let purpose: Purpose
    let appName: String
    /// The best first.
    let options: [Option]
    /// A passkey, before all others.
    var passkey: PasskeyButton?
    /// Why one was not taken.
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

/// Why a code was not taken.
enum CodeProblem: Sendable {
    case wrong
    /// The code of an authenticator app that was accepted a moment ago.
    case used
    case expired
    case tooManyAttempts(retryAfterSeconds: Int)
    /// Neither this code nor a newer one is compared until then.
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

/// Whether what was sent can be sent again.
enum Resending: Sendable {
    case never
    case after(seconds: Int)
    case now

    /// What templates need to know: whether there is a button, and how long it is to wait.
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

/// Typing a one-time code.
struct CodePage: Page {
    static let template = "code"
    static let name = "code"
    let form: PageForm
    let channel: CodeChannel
    /// Where it was sent, masked; `nil` for an authenticator.
    let destination: String?
    let problem: CodeProblem?
    /// Whether it was sent once more, just now.
    let wasSentAgain: Bool
    /// Whether the message holds a link that does the same in this browser.
    var hasLink = false
    let resending: Resending
    let hasOtherWays: Bool
    /// What does for the code.
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

/// Typing a recovery code.
struct RecoveryPage: Page {
    static let template = "recovery"
    static let name = "recovery"
    let form: PageForm
    let problem: CodeProblem?
    let hasOtherWays: Bool
    /// What does for the code.
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

/// Something is done, and this is the way on.
struct DonePage: Page {
    enum Kind: Sendable, CaseIterable {
        /// A link was confirmed: the window where the sign-in began goes on by itself.
        case linkConfirmed
        /// A link was refused: nobody got in.
        case linkRefused
        case addressVerified, passwordChanged, accountDeleted, cancelled
        /// A second factor stays: its removal was cancelled.
        case recoveryCancelled
    }

    /// A link further.
    struct Way: Sendable {
        let uri: String
        /// Whose page it is; `nil`: this server's own settings.
        let appName: String?
    }

    static let template = "done"
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
