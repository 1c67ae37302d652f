/// The form to change the password, or to set the first one.
struct SettingsPasswordPage: SettingsPage {
    static let template = PageTemplate.password
    static let section = SettingsSection.password
    let form: PageForm
    let settingsUser: SettingsUser?
    let userName: String
    let hasPassword: Bool
    let password: NewPasswordField
    let problem: PasswordProblem?
    let wasSaved: Bool
    /// Whether an app waits for the change.
    var isRequestedAction = false

    var redirectOrigins: [String] { form.redirectOrigins }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[PasswordStrings.self]
        let own = strings[SettingsPasswordStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "userName": userName, "text": text, "asksCurrent": hasPassword,
            "lead": hasPassword ? own.lead : own.firstLead,
            "show": strings.show, "hide": strings.hide, "submit": text.newSubmit, "isSettings": true,
            "password": password.values(text.newLabel, strings), "offersOthers": hasPassword,
        ]
        values["problem"] = problem?.text(strings)
        if isRequestedAction { values["cancel"] = strings.cancel }
        if wasSaved, problem == nil, password.refusals.isEmpty {
            values["notice"] = own.saved
            values["way"] = ["uri": Routes.settings, "label": strings.onward(nil)]
        }
        return form.values(values)
    }
}
