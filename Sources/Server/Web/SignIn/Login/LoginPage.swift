internal import Model

struct LoginPage: Page {
    enum Problem: Sendable {
        case wrongCredentials
        case tooManyAttempts(retryAfterSeconds: Int)
        case busy
        /// The user chose a method without a password, and typed no name.
        case nameMissing
        /// No message can be sent to the typed name.
        case unreachable(DeliveryReach.Kind)
        /// A passkey was refused.
        case passkey(PasskeyRefusal)
        /// The journey does not accept the method that was used.
        case methodRefused
        /// A sign-in at a provider came to nothing.
        case federation(FederationProblem, provider: String)

        /// Whether it has nothing to do with what was typed.
        var isElsewhere: Bool {
            switch self {
            case .passkey, .federation, .methodRefused: true
            default: false
            }
        }

        var isAboutPasskey: Bool {
            if case .passkey = self { return true }
            return false
        }
    }

    /// The methods that the page offers besides the password; none by default.
    struct Ways: Sendable {
        /// `action=code` sends a code, in mail with a link, to addresses of this kind; `nil`: no such button.
        var sendsTo: DeliveryReach.Kind?
        var hasPassword = true
        /// Only the name is asked for: a journey decides by it which methods the next page offers.
        var asksOnlyName = false
        var signUpURI: String?
        var resetURI: String?
        var passkey: PasskeyButton?
        /// `action=approval` asks for an approval on another device.
        var asksOtherDevice = false
        var providers = Providers()
        /// The provider whose identity is linked to the user who signs in; `nil`: none.
        var pending: String?
        /// The account that the user must sign in to; `nil`: any.
        var wanted: Wanted?
    }

    /// The account that the app asks for.
    struct Wanted: Sendable {
        /// Masked; `nil`: it is not shown.
        let account: String?
    }

    /// The identity providers that the page leads to.
    struct Providers: Sendable {
        var buttons: [ProviderButton] = []
        var hasOrganisations = false
    }

    static let template = PageTemplate.login
    static let name = "login"
    let transaction: String
    let csrf: String
    let clientName: String
    let loginHint: String?
    let problem: Problem?
    /// The signed-in user who must sign in again; `nil` for a plain sign-in.
    let reauthenticating: String?
    let redirectOrigins: [String]
    var ways = Ways()
    /// The step of the journey whose texts it shows; `nil`: built-in ones.
    var step: JourneyStep?
    var signals: [PasskeySignal] = []

    var usesPasskeys: Bool { ways.passkey != nil }

    func title(_ strings: Strings) -> String {
        if let own = step?.title.text(in: strings.language.code) { return own }
        let text = strings[LoginStrings.self]
        return reauthenticating == nil ? text.heading : text.reauthenticateHeading
    }

    /// Whether the problem has nothing to do with the password.
    private var isAboutName: Bool {
        switch problem {
        case .nameMissing, .unreachable: true
        case .wrongCredentials, .tooManyAttempts, .busy, .passkey, .federation, .methodRefused, nil: false
        }
    }

    /// Whether a typed value is wrong.
    private var isAboutTyped: Bool { problem.map { !$0.isElsewhere } ?? false }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[LoginStrings.self]
        let own = step?.text.text(in: strings.language.code)
        let lead = own ?? reauthenticating.map { text.reauthenticateLead(clientName, $0) } ?? text.lead(clientName)
        var values: [String: Any] = [
            "heading": title(strings), "lead": lead, "transaction": transaction, "csrf": csrf,
            "loginHint": loginHint ?? "",
            "usernameLabel": strings.usernameLabel, "passwordLabel": strings.passwordLabel, "show": strings.show,
            "hide": strings.hide, "submit": text.submit, "cancel": strings.cancel,
            "focusUsername": loginHint == nil || isAboutName, "focusPassword": loginHint != nil && !isAboutName,
            "isNameWrong": isAboutTyped, "isPasswordWrong": isAboutTyped && !isAboutName, "text": text,
            "hasLinks": ways.signUpURI != nil,
        ]
        values["hasPassword"] = ways.hasPassword
        if ways.asksOnlyName { values["identify"] = strings[JourneyStrings.self].identify }
        values["ways"] = ways.sendsTo.map { kind in
            [
                "or": ways.hasPassword ? text.or : nil, "code": text.sendCodeOrLink(kind),
                "class": ways.hasPassword ? "way" : "primary",
            ].compactMapValues(\.self)
        }
        if ways.asksOtherDevice {
            var button = ["label": strings[ApprovalStrings.self].button]
            if ways.sendsTo == nil, ways.hasPassword { button["or"] = text.or }
            values["approval"] = button
        }
        values["passkey"] = ways.passkey?.values(strings)
        let providers = ways.providers
        if !providers.buttons.isEmpty || providers.hasOrganisations {
            var shown: [String: Any] = [
                "buttons": providers.buttons.map { $0.values(strings, transaction: transaction) }
            ]
            if ways.sendsTo == nil, !ways.asksOtherDevice, ways.hasPassword { shown["divider"] = text.or }
            if providers.hasOrganisations {
                shown["organisation"] = strings[FederationStrings.self].organisation
            }
            values["providers"] = shown
        }
        values["pending"] = ways.pending.map(strings[FederationStrings.self].pending)
        values["wanted"] = ways.wanted.map { strings[OtherAccountStrings.self].wanted(clientName, $0.account) }
        values["signUpURI"] = ways.signUpURI
        values["resetURI"] = ways.resetURI
        switch problem {
        case .wrongCredentials: values["problem"] = text.wrongCredentials
        case .tooManyAttempts(let seconds):
            values["problem"] = strings.tooManyAttempts(strings.time.duration(seconds))
        case .busy: values["problem"] = strings.busy
        case .nameMissing: values["problem"] = text.nameMissing
        case .unreachable(let kind): values["problem"] = text.unreachable(kind)
        case .passkey(let refusal): values["problem"] = strings[PasskeyStrings.self].refusal(refusal)
        case .methodRefused: values["problem"] = strings[JourneyStrings.self].methodRefused
        case .federation(let problem, let provider):
            values["problem"] = strings[FederationStrings.self].problem(problem, provider)
        case nil: break
        }
        return values
    }
}
