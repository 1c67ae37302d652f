/// What the sign-out pages say.
struct EndSessionStrings: PageStrings {
    let heading: String
    let lead: @Sendable (_ person: String?) -> String
    let submit: String
    let stay: String
    let signedOutHeading: String
    let signedOutLead: String
    let signInAgain: String
}

extension EndSessionStrings {
    static let english = EndSessionStrings(
        heading: "Sign out?",
        lead: { $0.map { "You are signed in as \($0)." } ?? "You are signed in on this device." },
        submit: "Sign out",
        stay: "Stay signed in",
        signedOutHeading: "You are signed out",
        signedOutLead: "You can close this window.",
        signInAgain: "Sign in again")

    static let german = EndSessionStrings(
        heading: "Abmelden?",
        lead: { $0.map { "Sie sind angemeldet als \($0)." } ?? "Sie sind auf diesem Gerät angemeldet." },
        submit: "Abmelden",
        stay: "Angemeldet bleiben",
        signedOutHeading: "Sie sind abgemeldet",
        signedOutLead: "Sie können dieses Fenster schließen.",
        signInAgain: "Wieder anmelden")
}
