/// The rules for a new password, shown before the user types it.
struct PasswordRules: Sendable {
    let minLength: Int
    var needsLowercase = false
    var needsUppercase = false
    var needsNumber = false
    var needsSymbol = false

    /// The rules in words, each with the name that the script checks it by.
    func values(_ strings: Strings) -> [[String: Any]] {
        let text = strings[PasswordStrings.self]
        let all = [
            ("length", true, text.ruleLength(minLength)),
            ("lowercase", needsLowercase, text.ruleLowercase),
            ("uppercase", needsUppercase, text.ruleUppercase),
            ("number", needsNumber, text.ruleNumber),
            ("symbol", needsSymbol, text.ruleSymbol),
        ]
        return all.filter(\.1).map { ["rule": $0.0, "text": $0.2, "minimum": minLength] }
    }
}

/// Why a new password is refused.
enum PasswordRefusal: Sendable, CaseIterable {
    case tooShort, tooLong, noLowercase, noUppercase, noNumber, noSymbol
    /// It is on the list of breached passwords.
    case breached
    /// It contains the account's own name or address.
    case likeName
    /// It was used recently.
    case reused
}

/// A field for a new password with its rules: part of several pages.
struct NewPasswordField: Sendable {
    let rules: PasswordRules
    var refusals: [PasswordRefusal] = []

    /// The values for templates.
    func values(_ label: String, _ strings: Strings) -> [String: Any] {
        let text = strings[PasswordStrings.self]
        return [
            "label": label, "rules": rules.values(strings), "met": text.ruleMet,
            "unmet": text.ruleUnmet, "rulesTitle": text.rulesTitle, "show": strings.show,
            "hide": strings.hide, "isRefused": !refusals.isEmpty, "refusalTitle": text.refusalTitle,
            "refusals": refusals.map(text.refusal), "advice": text.advice,
        ]
    }
}

/// The form to reset a password: the user types the account's name.
struct PasswordResetPage: FormPage {
    enum Problem: Sendable {
        case nameMissing
        case unreachable(DeliveryReach.Kind)
        case tooManyAttempts(retryAfterSeconds: Int)
        case busy
    }

    static let template = PageTemplate.reset
    static let name = "password-reset"
    let form: PageForm
    let loginHint: String?
    let problem: Problem?

    func title(_ strings: Strings) -> String { strings[PasswordStrings.self].resetHeading }

    func values(_ strings: Strings) -> [String: Any] {
        let login = strings[LoginStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": strings[PasswordStrings.self], "usernameLabel": strings.usernameLabel,
            "loginHint": loginHint ?? "", "cancel": strings.cancel,
        ]
        switch problem {
        case .nameMissing: values["problem"] = login.nameMissing
        case .unreachable(let kind): values["problem"] = login.unreachable(kind)
        case .tooManyAttempts(let seconds):
            values["problem"] = strings.tooManyAttempts(strings.time.duration(seconds))
        case .busy: values["problem"] = strings.busy
        case nil: break
        }
        return form.values(values)
    }
}

/// Why a password was not changed, other than the new one's own flaws.
enum PasswordProblem: Sendable {
    case wrongCurrent
    case tooManyAttempts(retryAfterSeconds: Int)
    case busy

    func text(_ strings: Strings) -> String {
        switch self {
        case .wrongCurrent: strings[PasswordStrings.self].wrongCurrent
        case .tooManyAttempts(let seconds): strings.tooManyAttempts(strings.time.duration(seconds))
        case .busy: strings.busy
        }
    }
}

/// The form for a new password, after a verified reset.
struct PasswordNewPage: FormPage {
    static let template = PageTemplate.password
    static let name = "password-new"
    let form: PageForm
    /// The account's name, for users and for password managers.
    let userName: String
    let password: NewPasswordField
    let problem: PasswordProblem?

    func title(_ strings: Strings) -> String { strings[PasswordStrings.self].newHeading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[PasswordStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.newLead(userName), "userName": userName,
            "text": text, "cancel": strings.cancel, "submit": text.newSubmit,
            "password": password.values(text.newLabel, strings),
        ]
        values["problem"] = problem?.text(strings)
        return form.values(values)
    }
}

/// The password was right, but must be replaced first.
struct PasswordExpiredPage: FormPage {
    static let template = PageTemplate.password
    static let name = "password-expired"
    let form: PageForm
    let userName: String
    /// Whether the operator gave it out, to be used once.
    let isTemporary: Bool
    let password: NewPasswordField
    let problem: PasswordProblem?

    func title(_ strings: Strings) -> String { strings[PasswordStrings.self].expiredHeading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[PasswordStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "userName": userName, "text": text, "cancel": strings.cancel,
            "lead": isTemporary ? text.temporaryLead : text.expiredLead,
            "submit": text.newSubmit, "asksCurrent": true, "show": strings.show, "hide": strings.hide,
            "password": password.values(text.newLabel, strings),
        ]
        values["problem"] = problem?.text(strings)
        return form.values(values)
    }
}
