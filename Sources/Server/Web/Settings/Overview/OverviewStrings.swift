/// What the overview of the settings says.
struct OverviewStrings: PageStrings {
    let title: String
    let lead: @Sendable (_ person: String) -> String
}

extension OverviewStrings {
    static let english = OverviewStrings(
        title: "Overview",
        lead: { "You are signed in as \($0)." })

    static let german = OverviewStrings(
        title: "Überblick",
        lead: { "Sie sind angemeldet als \($0)." })
}
