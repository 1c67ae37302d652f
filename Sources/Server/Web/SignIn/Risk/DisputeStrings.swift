/// What the page says on which a sign-in is disputed.
struct DisputeStrings: PageStrings {
    let heading: String
    let lead: @Sendable (_ app: String) -> String
    let when: String
    let points: [String]
    let submit: String
    let note: String
    let doneHeading: String
    let doneLead: String
    let donePoints: [String]
    let reset: String
    let goneHeading: String
    let goneLead: String
}

extension DisputeStrings {
    static let english = DisputeStrings(
        heading: "Was this not you?",
        lead: { "There was a sign-in to your account at \($0). If it was not you, end it here." },
        when: "Signed in",
        points: [
            "That session ends, and every one that began since.",
            "Passkeys and authenticator apps that were added since are removed.",
            "Your password, if you have one, stops working: you choose a new one.",
        ],
        submit: "This was not me",
        note: "If it was you, close this window: nothing will change.",
        doneHeading: "The sign-in is ended",
        doneLead: "If you had a password, it no longer works: choose a new one now.",
        donePoints: [
            "On the sign-in page, choose “Forgot your password?”. We send you a link or a code.",
            "Then check the addresses of your account, and remove what you do not know.",
        ],
        reset: "Continue",
        goneHeading: "This link no longer works",
        goneLead: "It is too old, or part of it is missing. Check your account if you do not know why."
    )

    static let german = DisputeStrings(
        heading: "Waren Sie das nicht?",
        lead: { "Bei Ihrem Konto bei \($0) gab es eine Anmeldung. Waren Sie das nicht, beenden Sie sie hier." },
        when: "Angemeldet",
        points: [
            "Diese Sitzung endet, und jede, die seitdem begonnen hat.",
            "Passkeys und Authenticator-Apps, die seitdem hinzugefügt wurden, werden entfernt.",
            "Haben Sie ein Passwort, gilt es nicht mehr: Sie wählen ein neues.",
        ],
        submit: "Das war ich nicht",
        note: "Waren Sie es, schließen Sie dieses Fenster: Dann ändert sich nichts.",
        doneHeading: "Die Anmeldung ist beendet",
        doneLead: "Hatten Sie ein Passwort, gilt es nicht mehr: Wählen Sie jetzt ein neues.",
        donePoints: [
            "Wählen Sie auf der Anmeldeseite „Passwort vergessen?“. Wir senden Ihnen einen Link oder einen Code.",
            "Prüfen Sie dann die Adressen Ihres Kontos, und entfernen Sie, was Sie nicht kennen.",
        ],
        reset: "Weiter",
        goneHeading: "Dieser Link gilt nicht mehr",
        goneLead: "Er ist zu alt, oder es fehlt ein Teil. Wissen Sie nicht, warum, prüfen Sie Ihr Konto."
    )
}
