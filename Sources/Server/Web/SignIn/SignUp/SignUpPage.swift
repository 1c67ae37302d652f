internal import Model

/// The form for a new account.
struct SignUpPage: FormPage {
    enum Problem: Sendable, Hashable {
        case identifierInvalid(DeliveryReach.Kind)
        case tooManyAttempts
        /// The operator opens no account for this address.
        case addressNotAdmitted
    }

    /// The typed values, which are shown again.
    struct Typed: Sendable {
        var name = ""
        var identifier = ""
    }

    static let template = PageTemplate.signUp
    static let name = "signup"
    let form: PageForm
    let appName: String
    /// The step of the journey whose texts it shows; `nil`: built-in ones.
    let step: JourneyStep?
    /// The kind of name for new accounts: one that messages can be sent to.
    let identifier: DeliveryReach.Kind
    let typed: Typed
    /// `nil` if accounts have no passwords.
    let password: NewPasswordField?
    let termsURI: String?
    let policyURI: String?
    let problem: Problem?
    let signInURI: String?
    /// Whether the script reports the browser's passkey support.
    var usesPasskeys = false

    func title(_ strings: Strings) -> String {
        step?.title.text(in: strings.language.code) ?? strings[SignUpStrings.self].heading
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[SignUpStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": step?.text.text(in: strings.language.code) ?? text.lead(appName),
            "text": text,
            "typedName": typed.name, "typed": typed.identifier, "identifier": field(strings),
            "cancel": strings.cancel, "usesPasskeys": usesPasskeys, "terms": strings.terms,
            "policy": strings.policy,
            "hasLinks": termsURI != nil || policyURI != nil,
            "isFresh": problem == nil && password?.refusals.isEmpty != false,
        ]
        values["password"] = password?.values(text.password, strings)
        values["ways"] = [
            "or": password == nil ? nil : text.orWithoutPassword, "code": text.sendCode(identifier),
            "link": text.sendLink(identifier), "class": password == nil ? "primary" : "way",
        ].compactMapValues(\.self)
        values["signInURI"] = signInURI
        if let termsURI, termsURI.hasPrefix("https://") { values["termsURI"] = termsURI }
        if let policyURI, policyURI.hasPrefix("https://") { values["policyURI"] = policyURI }
        if let problem { values["problem"] = text.problem(problem) }
        switch problem {
        case .identifierInvalid, .addressNotAdmitted: values["identifierProblem"] = true
        case .tooManyAttempts, nil: break
        }
        return form.values(values)
    }

    private func field(_ strings: Strings) -> [String: Any] {
        let text = strings[SignUpStrings.self]
        return switch identifier {
        case .email: ["name": "email", "type": "email", "complete": "email", "label": text.email]
        case .phone:
            [
                "name": "phone", "type": "tel", "complete": "tel", "label": text.phone,
                "hint": text.phoneHint,
            ]
        case .emailOrPhone:
            [
                "name": "identifier", "type": "text", "complete": "username", "label": text.emailOrPhone,
                "hint": text.phoneHint,
            ]
        }
    }
}
