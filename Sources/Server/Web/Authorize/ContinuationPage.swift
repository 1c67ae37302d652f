/// Asks a user who is signed in to continue to an app on this device: nothing shows which program would get the answer
/// (RFC 8252 §8.6).
struct ContinuationPage: FormPage {
    static let template = PageTemplate.continuation
    static let name = "continue"
    let form: PageForm
    let appName: String
    let userName: String
    /// Whether the client registered itself, and the operator has not checked it.
    let isUnverified: Bool

    func title(_ strings: Strings) -> String { strings[ContinuationStrings.self].heading(appName) }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ContinuationStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.lead(userName), "warning": text.warning,
            "submit": text.submit(userName), "other": text.otherAccount, "cancel": strings.cancel,
        ]
        values["initial"] = ConsentPage.initial(of: appName)
        if isUnverified { values["unverified"] = strings.unverified }
        return form.values(values)
    }
}
