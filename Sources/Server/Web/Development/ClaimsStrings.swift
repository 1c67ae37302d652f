/// What the page says that shows what an app learns.
struct ClaimsStrings: PageStrings {
    let heading: String
    let lead: String
    let signedInAt: String
    let signedInBy: String
    let tokenExpires: String
    let idToken: String
    let accessToken: String
    let userInfo: String
    let rawToken: String
}

extension ClaimsStrings {
    static let english = ClaimsStrings(
        heading: "You are signed in",
        lead: "This is what an app learns about you and your session.",
        signedInAt: "Signed in",
        signedInBy: "With",
        tokenExpires: "Access token valid until",
        idToken: "ID token",
        accessToken: "Access token",
        userInfo: "UserInfo",
        rawToken: "Encoded")

    static let german = ClaimsStrings(
        heading: "Sie sind angemeldet",
        lead: "Das erfährt eine App über Sie und Ihre Sitzung.",
        signedInAt: "Angemeldet",
        signedInBy: "Mit",
        tokenExpires: "Zugriffstoken gültig bis",
        idToken: "ID-Token",
        accessToken: "Zugriffstoken",
        userInfo: "UserInfo",
        rawToken: "Kodiert")
}
