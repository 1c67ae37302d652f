internal import Texts

/// Tells a user who has just signed in that the app asks for another account than theirs.
struct OtherAccountPage: FormPage {
    static let template = PageTemplate.otherAccount
    static let name = "other-account"
    let form: PageForm
    let appName: String
    /// The user who signed in.
    let userName: String
    /// The account that is asked for, masked; `nil`: it is not shown.
    let account: String?

    func title(_ strings: Strings) -> String { strings[OtherAccountStrings.self].heading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[OtherAccountStrings.self]
        return form.values([
            "heading": title(strings), "lead": text.wanted(appName, account), "signedIn": text.signedIn(userName),
            "submit": text.submit, "cancel": strings.cancel,
        ])
    }
}

/// What the pages say about the account that an app asks for.
struct OtherAccountStrings: PageTexts {
    static let group = "otherAccount"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    func wanted(_ app: String, _ account: String?) -> String {
        account.map { texts["wanted.named", ["app": app, "account": $0]] } ?? texts["wanted.unnamed", ["app": app]]
    }
    func signedIn(_ person: String) -> String { texts["signedIn", ["person": person]] }
    var submit: String { texts["submit"] }
}
