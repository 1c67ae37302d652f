/// The page at `/`.
struct HomePage: Page {
    /// A user to sign in with, and commands to try.
    struct Demo: Sendable {
        let username: String
        let password: String
        let tryURI: String
        let commands: [String]
    }

    static let template = PageTemplate.home
    static let name = "home"
    static let isWide = true
    let issuer: String
    let demo: Demo?
    /// The address of the outbox; `nil` if there is none.
    var outboxURI: String?

    func title(_ strings: Strings) -> String {
        demo == nil ? strings.homeHeading : strings.homeDevelopmentHeading
    }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "lead": demo == nil ? strings.homeLead : strings.homeDevelopmentLead,
            "issuer": issuer, "issuerTitle": strings.issuer, "discovery": strings.discovery,
        ]
        if let demo {
            values["demo"] = [
                "username": demo.username, "password": demo.password, "tryURI": demo.tryURI, "commands": demo.commands,
                "issuer": issuer, "usernameLabel": strings.usernameLabel, "passwordLabel": strings.passwordLabel,
                "tryTitle": strings.tryTitle, "tryText": strings.tryText, "trySubmit": strings.trySubmit,
                "toolTitle": strings.toolTitle, "toolText": strings.toolText, "buildTitle": strings.buildTitle,
                "buildText": strings.buildText,
            ]
        }
        if let outboxURI {
            values["outbox"] = [
                "outboxURI": outboxURI, "outboxTitle": strings.outbox.title, "outboxText": strings.outbox.text,
                "outboxHeading": strings.outbox.heading,
            ]
        }
        return values
    }
}

/// The claims that an app received, shown to developers.
struct ClaimsPage: Page {
    typealias Row = (name: String, value: String)

    static let template = PageTemplate.claims
    static let name = "claims"
    static let isWide = true
    let signedInAt: String
    let methods: String
    let expiresAt: String
    let idToken: [Row]
    let accessToken: [Row]
    let userInfo: [Row]
    let rawIDToken: String?
    let rawAccessToken: String?
    let signOutURI: String

    func title(_ strings: Strings) -> String { strings.claimsHeading }

    func values(_ strings: Strings) -> [String: Any] {
        [
            "heading": strings.claimsHeading, "lead": strings.claimsLead, "signOutURI": signOutURI,
            "signOut": strings.signOut,
            "timeline": [
                ["label": strings.signedInAt, "value": signedInAt], ["label": strings.signedInBy, "value": methods],
                ["label": strings.tokenExpires, "value": expiresAt],
            ],
            "tables": [
                table(strings.idToken, idToken, raw: rawIDToken, strings),
                table(strings.accessToken, accessToken, raw: rawAccessToken, strings),
                table(strings.userInfo, userInfo, raw: nil, strings),
            ],
        ]
    }

    private func table(_ title: String, _ rows: [Row], raw: String?, _ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "title": title, "rows": rows.map { ["name": $0.name, "value": $0.value] }, "rawTitle": strings.rawToken,
        ]
        values["raw"] = raw
        return values
    }
}
