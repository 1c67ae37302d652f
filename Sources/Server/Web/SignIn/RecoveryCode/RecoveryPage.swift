/// The field for a recovery code.
struct RecoveryPage: FormPage {
    static let template = PageTemplate.recovery
    static let name = "recovery"
    let form: PageForm
    let problem: CodeProblem?
    /// A passkey that replaces the code.
    var passkey: PasskeyButton?
    var passkeyProblem: PasskeyRefusal?
    var signals: [PasskeySignal] = []
    /// Whether the page leads to the removal of a second factor that was lost.
    var canBeLost = false

    var usesPasskeys: Bool { passkey != nil }

    func title(_ strings: Strings) -> String { strings[RecoveryCodeStrings.self].heading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[RecoveryCodeStrings.self]
        let code = strings[CodeStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.lead, "text": text,
            "submit": code.submit, "otherWays": code.otherWays, "cancel": strings.cancel,
        ]
        if case .wrong = problem {
            values["problem"] = text.wrong
        } else {
            values["problem"] = problem?.text(strings) ?? passkeyProblem.map(strings[PasskeyStrings.self].refusal)
        }
        values["isCodeWrong"] = problem != nil
        values["passkey"] = passkey?.values(strings, label: strings[PasskeyStrings.self].useInstead)
        if canBeLost { values["lost"] = strings[LostFactorStrings.self].link }
        return form.values(values)
    }
}
