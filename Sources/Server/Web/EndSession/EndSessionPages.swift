struct LogoutPage: Page {
    static let template = PageTemplate.logout
    static let name = "logout"
    let request: String
    let csrf: String
    let userName: String?
    let redirectOrigins: [String]

    func title(_ strings: Strings) -> String { strings[EndSessionStrings.self].heading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[EndSessionStrings.self]
        return [
            "heading": text.heading, "lead": text.lead(userName), "request": request, "csrf": csrf,
            "submit": text.submit, "stay": text.stay,
        ]
    }
}

struct SignedOutPage: Page {
    static let template = PageTemplate.signedOut
    static let name = "signed-out"

    func title(_ strings: Strings) -> String { strings[EndSessionStrings.self].signedOutHeading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[EndSessionStrings.self]
        return [
            "heading": text.signedOutHeading, "lead": text.signedOutLead,
            "way": ["uri": Routes.settings, "label": text.signInAgain],
        ]
    }
}
