/// What the page says that posts an answer to an app.
struct FormPostStrings: PageStrings {
    let heading: String
    let lead: String
    let submit: String
}

extension FormPostStrings {
    static let english = FormPostStrings(
        heading: "One moment",
        lead: "You are being taken back to the app.",
        submit: "Continue")

    static let german = FormPostStrings(
        heading: "Einen Moment",
        lead: "Sie werden zur App zurückgebracht.",
        submit: "Weiter")
}
