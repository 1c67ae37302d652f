/// A method by which users verify who they are.
enum VerificationMethod: Sendable, Hashable, CaseIterable {
    case passkey, password, email, codeOrLink, sms, whatsapp, voice, numberedLink, numberedTextLink, authenticator
    case recoveryCode, otherDevice
}

/// The choice of a verification method.
struct MethodsPage: FormPage {
    enum Purpose: Sendable, CaseIterable {
        case signIn
        /// After a verified first factor.
        case secondFactor
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

    var usesPasskeys: Bool { passkey != nil }

    func title(_ strings: Strings) -> String { strings[MethodsStrings.self].heading(purpose) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[MethodsStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.lead(purpose, appName), "cancel": strings.cancel,
            "options": options.map { option in
                [
                    "value": option.value, "name": text.name(option.method),
                    "sentence": text.sentence(option.method, option.destination),
                ]
            },
        ]
        if let passkey {
            var button = passkey.values(strings, style: "choice", label: text.name(.passkey))
            button["sentence"] = text.sentence(.passkey, nil)
            values["passkey"] = button
        }
        if options.isEmpty { values["onlyPasskeys"] = strings[PasskeyStrings.self].onlyPasskeys }
        values["problem"] = problem.map(strings[PasskeyStrings.self].refusal)
        if canBeLost { values["lost"] = strings[LostFactorStrings.self].link }
        return form.values(values)
    }
}
