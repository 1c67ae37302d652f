/// What the settings say about identities at providers.
struct ConnectionsStrings: PageStrings {
    let title: String
    let lead: String
    let none: String
    let link: String
    let linked: @Sendable (_ provider: String) -> String
    let unlink: String
    let unlinkSure: String
    let facts: @Sendable (_ linked: String, _ used: String) -> String
    let lastWay: String
    let done: @Sendable (_ isLinked: Bool) -> String
    let count: @Sendable (_ count: Int) -> String
}

extension ConnectionsStrings {
    static let english = ConnectionsStrings(
        title: "Connected accounts",
        lead: "Other services that you can sign in with.",
        none: "No account is connected yet.",
        link: "Connect another account",
        linked: { "Connect \($0)" },
        unlink: "Disconnect",
        unlinkSure: "You will no longer be able to sign in with it.",
        facts: { "Connected \($0), last used \($1)" },
        lastWay: "This is your only way to sign in. Set a password or add a passkey first.",
        done: { $0 ? "The account is connected." : "The account is disconnected." },
        count: { count in
            switch count {
            case 0: "None"
            case 1: "1 account"
            default: "\(count) accounts"
            }
        })

    static let german = ConnectionsStrings(
        title: "Verknüpfte Konten",
        lead: "Andere Dienste, mit denen Sie sich anmelden können.",
        none: "Noch ist kein Konto verknüpft.",
        link: "Ein weiteres Konto verknüpfen",
        linked: { "\($0) verknüpfen" },
        unlink: "Trennen",
        unlinkSure: "Danach können Sie sich damit nicht mehr anmelden.",
        facts: { "Verknüpft \($0), zuletzt benutzt \($1)" },
        lastWay:
            "Das ist Ihr einziger Weg, sich anzumelden. Legen Sie erst ein Passwort oder einen Passkey an.",
        done: { $0 ? "Das Konto ist verknüpft." : "Das Konto ist getrennt." },
        count: { count in
            switch count {
            case 0: "Keine"
            case 1: "1 Konto"
            default: "\(count) Konten"
            }
        })
}
