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

        var isAboutPasskey: Bool {
            if case .passkey = self { return true }
            return false
        }
    }

    /// The methods that the page offers besides the password; none by default.
    struct Ways: Sendable {
        /// `action=code` sends a code, in mail with a link, to addresses of this kind; `nil`: no such button.
        var sendsTo: DeliveryReach.Kind?
        var signUpURI: String?
        var resetURI: String?
        var passkey: PasskeyButton?
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
    var signals: [PasskeySignal] = []

    var usesPasskeys: Bool { ways.passkey != nil }

    func title(_ strings: Strings) -> String {
        let text = strings[LoginStrings.self]
        return reauthenticating == nil ? text.heading : text.reauthenticateHeading
    }

    /// Whether the problem has nothing to do with the password.
    private var isAboutName: Bool {
        switch problem {
        case .nameMissing, .unreachable: true
        case .wrongCredentials, .tooManyAttempts, .busy, .passkey, nil: false
        }
    }

    /// Whether a typed value is wrong.
    private var isAboutTyped: Bool { problem.map { !$0.isAboutPasskey } ?? false }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[LoginStrings.self]
        let lead = reauthenticating.map { text.reauthenticateLead(clientName, $0) } ?? text.lead(clientName)
        var values: [String: Any] = [
            "heading": title(strings), "lead": lead, "transaction": transaction, "csrf": csrf,
            "loginHint": loginHint ?? "",
            "usernameLabel": strings.usernameLabel, "passwordLabel": strings.passwordLabel, "show": strings.show,
            "hide": strings.hide, "submit": text.submit, "cancel": strings.cancel,
            "focusUsername": loginHint == nil || isAboutName, "focusPassword": loginHint != nil && !isAboutName,
            "isNameWrong": isAboutTyped, "isPasswordWrong": isAboutTyped && !isAboutName, "text": text,
            "hasLinks": ways.signUpURI != nil,
        ]
        values["ways"] = ways.sendsTo.map { ["or": text.or, "code": text.sendCodeOrLink($0)] }
        values["passkey"] = ways.passkey?.values(strings)
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
        case nil: break
        }
        return values
    }
}
