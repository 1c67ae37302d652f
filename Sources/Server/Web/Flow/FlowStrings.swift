/// What the pages of flows say.
struct FlowStrings: PageStrings {
    let doneHeading: String
    let doneLead: String
    let cancelledHeading: String
    let cancelledLead: String
    let providerHeading: @Sendable (_ provider: String) -> String
    let providerLead: String
    let providerHere: String
    let back: String
}

extension FlowStrings {
    static let english = FlowStrings(
        doneHeading: "You’re signed in",
        doneLead: "You can close this window and go back to the app.",
        cancelledHeading: "You cancelled",
        cancelledLead: "You are not signed in. You can close this window and go back to the app.",
        providerHeading: { "Continue with \($0)" },
        providerLead: "Your app opens another window for this sign-in. When you are done there, it continues here.",
        providerHere: "Continue in this window",
        back: "Sign in another way")

    static let german = FlowStrings(
        doneHeading: "Sie sind angemeldet",
        doneLead: "Sie können dieses Fenster schließen und zur App zurückkehren.",
        cancelledHeading: "Sie haben abgebrochen",
        cancelledLead: "Sie sind nicht angemeldet. Sie können dieses Fenster schließen und zur App zurückkehren.",
        providerHeading: { "Weiter mit \($0)" },
        providerLead: "Ihre App öffnet für diese Anmeldung ein weiteres Fenster. Danach geht es hier weiter.",
        providerHere: "In diesem Fenster weiter",
        back: "Anders anmelden")
}
