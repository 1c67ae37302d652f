/// What the page that waits for an approval says.
struct ApprovalStrings: PageStrings {
    /// On the first page.
    let button: String
    let heading: String
    let lead: @Sendable (_ address: String) -> String
    let numberLabel: String
    let waiting: String
    let refresh: String
    let advice: String
    let over: String
    let again: String
}

extension ApprovalStrings {
    static let english = ApprovalStrings(
        button: "Approve on another device",
        heading: "Approve on another device",
        lead: { "On a device where you are signed in, open \($0) and type this number." },
        numberLabel: "Your number",
        waiting: "Waiting for your approval. This page will continue by itself.",
        refresh: "Check now",
        advice: "Never tell anyone this number. If nothing is waiting for you there, choose another way to sign in.",
        over: "This sign-in was not approved in time, or was refused.",
        again: "Ask again")

    static let german = ApprovalStrings(
        button: "Auf einem anderen Gerät freigeben",
        heading: "Auf einem anderen Gerät freigeben",
        lead: { "Öffnen Sie auf einem Gerät, auf dem Sie angemeldet sind, \($0) und geben Sie dort diese Zahl ein." },
        numberLabel: "Ihre Zahl",
        waiting: "Warten auf Ihre Freigabe. Diese Seite geht von selbst weiter.",
        refresh: "Jetzt prüfen",
        advice: "Nennen Sie niemandem diese Zahl. Wenn dort nichts wartet, wählen Sie einen anderen Weg zur Anmeldung.",
        over: "Diese Anmeldung wurde nicht rechtzeitig freigegeben oder wurde abgelehnt.",
        again: "Noch einmal fragen")
}
