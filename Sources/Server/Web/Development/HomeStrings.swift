/// What the start page says.
struct HomeStrings: PageStrings {
    let heading: String
    let lead: String
    let developmentHeading: String
    let developmentLead: String
    let tryTitle: String
    let tryText: String
    let trySubmit: String
    let toolTitle: String
    let toolText: String
    let buildTitle: String
    let buildText: String
    let issuer: String
    let discovery: String
}

extension HomeStrings {
    static let english = HomeStrings(
        heading: "Identity server",
        lead: "It is running. Start from an app to sign in.",
        developmentHeading: "Keyturn is running",
        developmentLead: "A throw-away identity server with a demo user. Everything is deleted when it stops.",
        tryTitle: "Sign in here",
        tryText: "See the pages, and what an app learns about you.",
        trySubmit: "Try signing in",
        toolTitle: "Sign in from the command line",
        toolText: "A browser opens. Afterwards the command line keeps the session and refreshes it.",
        buildTitle: "Sign in from Swift",
        buildText: "The same in an app of yours:",
        issuer: "Issuer",
        discovery: "discovery document")

    static let german = HomeStrings(
        heading: "Identitätsserver",
        lead: "Er läuft. Beginnen Sie in einer App, um sich anzumelden.",
        developmentHeading: "Keyturn läuft",
        developmentLead:
            "Ein Identitätsserver zum Ausprobieren, mit einem Demo-Benutzer. Beim Beenden wird alles gelöscht.",
        tryTitle: "Hier anmelden",
        tryText: "Sehen Sie die Seiten und was eine App über Sie erfährt.",
        trySubmit: "Anmelden ausprobieren",
        toolTitle: "In der Kommandozeile anmelden",
        toolText: "Ein Browser öffnet sich. Danach behält die Kommandozeile die Sitzung und erneuert sie.",
        buildTitle: "In Swift anmelden",
        buildText: "Dasselbe in einer eigenen App:",
        issuer: "Aussteller",
        discovery: "Discovery-Dokument")
}
