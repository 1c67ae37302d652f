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

    func title(_ strings: Strings) -> String { strings[ClaimsStrings.self].heading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ClaimsStrings.self]
        return [
            "heading": text.heading, "lead": text.lead, "signOutURI": signOutURI,
            "signOut": strings.signOut,
            "timeline": [
                ["label": text.signedInAt, "value": signedInAt], ["label": text.signedInBy, "value": methods],
                ["label": text.tokenExpires, "value": expiresAt],
            ],
            "tables": [
                table(text.idToken, idToken, raw: rawIDToken, strings),
                table(text.accessToken, accessToken, raw: rawAccessToken, strings),
                table(text.userInfo, userInfo, raw: nil, strings),
            ],
        ]
    }

    private func table(_ title: String, _ rows: [Row], raw: String?, _ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "title": title, "rows": rows.map { ["name": $0.name, "value": $0.value] },
            "rawTitle": strings[ClaimsStrings.self].rawToken,
        ]
        values["raw"] = raw
        return values
    }
}
