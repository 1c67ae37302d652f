/// The page at `/`.
struct HomePage: Page {
    /// A user to sign in with, and commands to try.
    struct Demo: Sendable {
        let username: String
        let password: String
        let tryURI: String
        let commands: [String]
    }

    /// The server's clock, and the form that moves it.
    struct TimeForm: Sendable {
        enum Problem: Sendable {
            case unreadable
            case tooFar
        }

        let form: PageForm
        let now: String
        /// The machine's time; `nil`: it is the same.
        let machine: String?
        var problem: Problem?

        func values(_ strings: Strings) -> [String: Any] {
            let text = strings[TimeStrings.self]
            var values = form.values([
                "title": text.title, "text": text.text(now, machine), "advance": text.advance, "submit": text.submit,
            ])
            switch problem {
            case .unreadable: values["problem"] = text.problem
            case .tooFar: values["problem"] = text.tooFar
            case nil: break
            }
            return values
        }
    }

    static let template = PageTemplate.home
    static let name = "home"
    static let isWide = true
    let issuer: String
    let demo: Demo?
    /// The address of the outbox; `nil` if there is none.
    var outboxURI: String?
    /// `nil` if the clock cannot be moved.
    var time: TimeForm?

    func title(_ strings: Strings) -> String {
        let text = strings[HomeStrings.self]
        return demo == nil ? text.heading : text.developmentHeading
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[HomeStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": demo == nil ? text.lead : text.developmentLead,
            "issuer": issuer, "issuerTitle": text.issuer, "discovery": text.discovery,
        ]
        if let demo {
            values["themeURI"] = Routes.theme
            values["theme"] = strings[ThemeStrings.self].heading
            values["demo"] = [
                "username": demo.username, "password": demo.password, "tryURI": demo.tryURI, "commands": demo.commands,
                "issuer": issuer, "usernameLabel": strings.usernameLabel, "passwordLabel": strings.passwordLabel,
                "tryTitle": text.tryTitle, "tryText": text.tryText, "trySubmit": text.trySubmit,
                "toolTitle": text.toolTitle, "toolText": text.toolText, "buildTitle": text.buildTitle,
                "buildText": text.buildText,
            ]
        }
        values["time"] = time?.values(strings)
        if let outboxURI {
            let outbox = strings[OutboxStrings.self]
            values["outbox"] = [
                "outboxURI": outboxURI, "outboxTitle": outbox.title, "outboxText": outbox.text,
                "outboxHeading": outbox.heading,
            ]
        }
        return values
    }
}
