internal import Model

/// The operator lets no new users in: says so, and whom to ask.
struct SignUpClosedPage: FormPage {
    static let template = PageTemplate.signUpClosed
    static let name = "signup-closed"
    let form: PageForm
    let appName: String
    /// For users who have an account, or an invitation; `nil`: the journey is for new users alone.
    let signInURI: String?

    func title(_ strings: Strings) -> String { strings[SignUpStrings.self].closedHeading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[SignUpStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.closedLead(appName), "text": text, "cancel": strings.cancel,
        ]
        values["signInURI"] = signInURI
        return form.values(values)
    }
}
