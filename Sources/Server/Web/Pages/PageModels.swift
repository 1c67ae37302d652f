/// A page for users: its template's name, its `data-page`, and the values to fill in.
///
/// All texts in it are untrusted; the templates escape them.
protocol Page: Sendable {
    static var template: PageTemplate { get }
    /// `data-page`, by which programs tell pages apart.
    static var name: String { get }
    /// Whether its layout is wide: it holds more than a form.
    static var isWide: Bool { get }
    /// Whether its script asks this server repeatedly whether something has happened.
    static var polls: Bool { get }
    /// Whether it may hold a button that begins a WebAuthn ceremony.
    var usesPasskeys: Bool { get }
    /// What it tells the user's device about passkeys.
    var signals: [PasskeySignal] { get }
    /// The origins that its form's answer may redirect to, besides this server.
    var redirectOrigins: [String] { get }
    /// The seconds after which it reloads where there are no scripts; `nil`: never.
    var refreshSeconds: Int? { get }
    /// The signed-in user, on the pages of the settings.
    var visitor: SettingsVisitor? { get }
    func title(_ strings: Strings) -> String
    func values(_ strings: Strings) -> [String: Any]
}

extension Page {
    static var isWide: Bool { false }
    static var polls: Bool { false }
    var usesPasskeys: Bool { false }
    var signals: [PasskeySignal] { [] }
    var redirectOrigins: [String] { [] }
    var refreshSeconds: Int? { nil }
    var visitor: SettingsVisitor? { nil }
}

/// The target of a page's form, and the fields that it carries.
struct PageForm: Sendable {
    /// The address on this server that takes it.
    let action: String
    /// The sealed transaction; `nil` where the session is enough.
    let journey: String?
    let csrf: String
    /// The origins that the answer may redirect to, besides this server.
    var redirectOrigins: [String] = []

    /// The values for templates, with `others`.
    func values(_ others: [String: Any]) -> [String: Any] {
        var values = others
        values["action"] = action
        values["journey"] = journey
        values["csrf"] = csrf
        return values
    }
}

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
    let journey: String
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
        reauthenticating == nil ? strings.loginHeading : strings.reauthenticateHeading
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
        let lead = reauthenticating.map { strings.reauthenticateLead(clientName, $0) } ?? strings.loginLead(clientName)
        var values: [String: Any] = [
            "heading": title(strings), "lead": lead, "journey": journey, "csrf": csrf, "loginHint": loginHint ?? "",
            "usernameLabel": strings.usernameLabel, "passwordLabel": strings.passwordLabel, "show": strings.show,
            "hide": strings.hide, "submit": strings.loginSubmit, "cancel": strings.cancel,
            "focusUsername": loginHint == nil || isAboutName, "focusPassword": loginHint != nil && !isAboutName,
            "isNameWrong": isAboutTyped, "isPasswordWrong": isAboutTyped && !isAboutName, "text": strings.proof,
            "hasLinks": ways.signUpURI != nil,
        ]
        values["ways"] = ways.sendsTo?.signInValues(strings)
        values["passkey"] = ways.passkey?.values(strings)
        values["signUpURI"] = ways.signUpURI
        values["resetURI"] = ways.resetURI
        switch problem {
        case .wrongCredentials: values["problem"] = strings.wrongCredentials
        case .tooManyAttempts(let seconds):
            values["problem"] = strings.proof.tooManyAttempts(strings.time.duration(seconds))
        case .busy: values["problem"] = strings.busy
        case .nameMissing: values["problem"] = strings.proof.nameMissing
        case .unreachable(let kind): values["problem"] = strings.proof.unreachable(kind)
        case .passkey(let refusal): values["problem"] = strings.passkey.refusal(refusal)
        case nil: break
        }
        return values
    }
}

struct LogoutPage: Page {
    static let template = PageTemplate.logout
    static let name = "logout"
    let request: String
    let csrf: String
    let userName: String?
    let redirectOrigins: [String]

    func title(_ strings: Strings) -> String { strings.logoutHeading }

    func values(_ strings: Strings) -> [String: Any] {
        [
            "heading": strings.logoutHeading, "lead": strings.logoutLead(userName), "request": request, "csrf": csrf,
            "submit": strings.logoutSubmit, "stay": strings.stay,
        ]
    }
}

struct SignedOutPage: Page {
    static let template = PageTemplate.signedOut
    static let name = "signed-out"

    func title(_ strings: Strings) -> String { strings.signedOutHeading }

    func values(_ strings: Strings) -> [String: Any] {
        [
            "heading": strings.signedOutHeading, "lead": strings.signedOutLead,
            "way": ["uri": SettingsSection.overview.path, "label": strings.signInAgain],
        ]
    }
}

struct FormPostPage: Page {
    static let template = PageTemplate.formPost
    static let name = "form-post"
    /// The client's redirect address.
    let action: String
    let fields: [(name: String, value: String)]

    var redirectOrigins: [String] { [action] }

    func title(_ strings: Strings) -> String { strings.formPostHeading }

    func values(_ strings: Strings) -> [String: Any] {
        [
            "heading": strings.formPostHeading, "lead": strings.formPostLead, "action": action,
            "fields": fields.map { ["name": $0.name, "value": $0.value] }, "submit": strings.formPostSubmit,
        ]
    }
}

struct ErrorPage: Page {
    enum Kind: Sendable, CaseIterable {
        case badRequest, unknownClient, redirectMismatch, expired, cookiesBlocked, tooLarge, notFound, serverTrouble
        case methodNotAllowed
    }

    static let template = PageTemplate.error
    static let name = "error"
    let status: Int
    let kind: Kind
    /// A text for developers, in English.
    let detail: String
    /// The identifier under which the request was logged.
    let reference: String

    func title(_ strings: Strings) -> String { strings.errorHeading(kind) }

    func values(_ strings: Strings) -> [String: Any] {
        [
            "heading": title(strings), "advice": strings.errorAdvice(kind), "status": String(status), "detail": detail,
            "reference": reference, "detailsTitle": strings.errorDetails, "statusTitle": strings.errorStatus,
            "detailTitle": strings.errorDetail, "referenceTitle": strings.errorReference,
            // Developers of the app need the detail of its errors at once; other readers need the advice.
            "isOpen": [.badRequest, .unknownClient, .redirectMismatch, .methodNotAllowed].contains(kind),
        ]
    }
}
