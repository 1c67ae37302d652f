/// What the pages say to a user who lost the second factor, and to the readers of the message about it.
struct LostFactorStrings: PageStrings {
    /// Leads here from the pages that ask for the second factor.
    let link: String
    let heading: String
    let lead: @Sendable (_ delay: String) -> String
    let steps: @Sendable (_ delay: String) -> [String]
    let choose: String
    let wrongPassword: String
    let unavailable: @Sendable (_ project: String) -> String
    let unavailableNote: String
    let laterHeading: String
    let later: @Sendable (_ duration: String) -> String
    let laterNote: @Sendable (_ project: String) -> String
    let waitingHeading: String
    let waitingLead: @Sendable (_ duration: String) -> String
    let waitingPoints: [String]
    let begun: String
    let from: String
    let until: String
    let removalHeading: String
    let removalLead: String
    let removalPoints: [String]
    let remove: String
    let keep: String
    let back: String
    let backToSignIn: String
    let cancelHeading: String
    let cancelLead: @Sendable (_ project: String) -> String
    let cancelSubmit: String
    let cancelNote: String
    let goneHeading: String
    let goneLead: String
}

extension LostFactorStrings {
    static let english = LostFactorStrings(
        link: "I lost my passkey or app",
        heading: "Lost your passkey or authenticator app?",
        lead: { "You can remove it yourself: confirm in another way that it’s you, and wait \($0)." },
        steps: { delay in
            [
                "Confirm in another way that it’s you.",
                "We tell every address of your account. The link in that message cancels the recovery.",
                "After \(delay), sign in, come back here, and confirm it in both ways again. Then you can remove what you lost.",
            ]
        },
        choose: "Where do we send a code?",
        wrongPassword: "That password is incorrect. Check it and try again.",
        unavailable: {
            "Your account has no other way to confirm that it’s you. Ask the people who run \($0) to remove what you lost."
        },
        unavailableNote: """
            You need a password and a confirmed address. An address that was added, or a password that was reset by a \
            message, counts after 30 days.
            """,
        laterHeading: "This is not possible right now",
        later: { "A recovery was cancelled recently, or started too often. Try again in \($0)." },
        laterNote: { "Did someone else cancel it? Then ask the people who run \($0)." },
        waitingHeading: "Your recovery has started",
        waitingLead: { "You can remove your passkeys and your authenticator app in \($0)." },
        waitingPoints: [
            "Then sign in again, come back here, and confirm it in both ways again.",
            "Every address of your account has been told, and can cancel it.",
            "Found it? Sign in with it: that ends the recovery.",
        ],
        begun: "Started",
        from: "Possible from",
        until: "Until",
        removalHeading: "Remove what you lost?",
        removalLead: "You have confirmed it in both ways, and the wait is over.",
        removalPoints: [
            "Every passkey, the authenticator app and the recovery codes of your account are removed.",
            "You are signed out on every other device.",
            "You can add a new passkey or app in your settings at once.",
        ],
        remove: "Remove them",
        keep: "Keep them",
        back: "Back",
        backToSignIn: "Back to the sign-in",
        cancelHeading: "Cancel the recovery?",
        cancelLead: {
            "A recovery of your account at \($0) was started by someone who passed two checks, such as your password and a code. It removes the account’s passkeys and authenticator app."
        },
        cancelSubmit: "Cancel the recovery",
        cancelNote: "If you started it yourself, close this window: nothing will be cancelled.",
        goneHeading: "There is nothing to cancel",
        goneLead:
            "The recovery was finished or cancelled, or part of the link is missing. Check your account if you do not know why."
    )

    static let german = LostFactorStrings(
        link: "Passkey oder App verloren",
        heading: "Passkey oder Authenticator-App verloren?",
        lead: { "Sie können das Verlorene selbst entfernen: mit einem weiteren Nachweis und nach \($0)." },
        steps: { delay in
            [
                "Weisen Sie auf einem anderen Weg nach, dass Sie es sind.",
                "Wir benachrichtigen jede Adresse Ihres Kontos. Der Link in dieser Nachricht bricht die Wiederherstellung ab.",
                "Nach \(delay): Melden Sie sich an, kommen Sie hierher zurück und weisen Sie beides noch einmal nach. Dann können Sie das Verlorene entfernen.",
            ]
        },
        choose: "Wohin senden wir einen Code?",
        wrongPassword: "Dieses Passwort stimmt nicht. Prüfen Sie es und versuchen Sie es noch einmal.",
        unavailable: {
            "Ihr Konto hat keinen anderen Nachweis, der hier zählt. Bitten Sie die Betreiber von \($0), das Verlorene zu entfernen."
        },
        unavailableNote: """
            Nötig sind ein Passwort und eine bestätigte Adresse. Eine hinzugefügte Adresse und ein per Nachricht \
            zurückgesetztes Passwort zählen nach 30 Tagen.
            """,
        laterHeading: "Das geht gerade nicht",
        later: {
            "Eine Wiederherstellung wurde vor Kurzem abgebrochen oder zu oft begonnen. Versuchen Sie es in \($0) noch einmal."
        },
        laterNote: { "Hat jemand anderes es abgebrochen? Dann wenden Sie sich an die Betreiber von \($0)." },
        waitingHeading: "Ihre Wiederherstellung hat begonnen",
        waitingLead: { "In \($0) können Sie Ihre Passkeys und Ihre Authenticator-App entfernen." },
        waitingPoints: [
            "Melden Sie sich dann wieder an, kommen Sie hierher zurück und weisen Sie beides noch einmal nach.",
            "Jede Adresse Ihres Kontos wurde benachrichtigt und kann es abbrechen.",
            "Wiedergefunden? Melden Sie sich damit an: Das beendet die Wiederherstellung.",
        ],
        begun: "Begonnen",
        from: "Möglich ab",
        until: "Bis",
        removalHeading: "Das Verlorene entfernen?",
        removalLead: "Beide Nachweise stimmen, und die Wartezeit ist vorbei.",
        removalPoints: [
            "Alle Passkeys, die Authenticator-App und die Wiederherstellungscodes Ihres Kontos werden entfernt.",
            "Sie werden auf jedem anderen Gerät abgemeldet.",
            "In Ihren Einstellungen können Sie gleich einen neuen Passkey oder eine neue App hinzufügen.",
        ],
        remove: "Entfernen",
        keep: "Behalten",
        back: "Zurück",
        backToSignIn: "Zurück zur Anmeldung",
        cancelHeading: "Wiederherstellung abbrechen?",
        cancelLead: {
            "Mit zwei Ihrer Nachweise wurde eine Wiederherstellung Ihres Kontos bei \($0) begonnen. Sie entfernt seine Passkeys und seine Authenticator-App."
        },
        cancelSubmit: "Wiederherstellung abbrechen",
        cancelNote: "Haben Sie selbst damit begonnen, schließen Sie dieses Fenster: Dann wird nichts abgebrochen.",
        goneHeading: "Es gibt nichts abzubrechen",
        goneLead:
            "Die Wiederherstellung ist abgeschlossen oder abgebrochen, oder vom Link fehlt ein Teil. Wissen Sie nicht, warum, prüfen Sie Ihr Konto."
    )
}
