/// What the consent page says.
struct ConsentStrings: PageStrings {
    let heading: @Sendable (_ app: String) -> String
    let lead: @Sendable (_ person: String) -> String
    let destination: @Sendable (_ address: String) -> String
    let allow: String
}

extension ConsentStrings {
    static let english = ConsentStrings(
        heading: { "Allow \($0)?" },
        lead: { "You are signed in as \($0). The app would be able to:" },
        destination: { "You’ll return to \($0) either way." },
        allow: "Allow")

    static let german = ConsentStrings(
        heading: { "\($0) erlauben?" },
        lead: { "Sie sind angemeldet als \($0). Die App könnte dann:" },
        destination: { "In jedem Fall geht es weiter zu \($0)." },
        allow: "Erlauben")
}
