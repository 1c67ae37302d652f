/// What the pages say about links in messages, and at the end of a way.
struct LinkStrings: Sendable {
    let readyHeading: @Sendable (_ app: String) -> String
    let readyLead: String
    let numberLead: String
    let begunOn: String
    let begunWhen: String
    let begunFor: String
    let here: String
    let deviceUnknown: String
    let elsewhere: String
    let confirm: String
    let confirmNumber: String
    let notMe: String
    let unknownHeading: String
    let unknownAdvice: String
    let expiredHeading: String
    let expiredAdvice: String
    let usedHeading: String
    let usedAdvice: String
    let typeCode: String
    let sentHeading: String
    let sentLead: @Sendable (_ destination: String) -> String
    let sentNumberLead: @Sendable (_ destination: String) -> String
    let numberLabel: String
    let waiting: String
    let notArrived: String
    let notArrivedAdvice: String
    let sentAgain: String
    let sentExpired: String
    let doneHeading: @Sendable (DonePage.Kind) -> String
    let doneLead: @Sendable (DonePage.Kind) -> String
    let onward: @Sendable (_ app: String?) -> String
}

extension LinkStrings {
    static let english = LinkStrings(
        readyHeading: { "Sign in to \($0)?" },
        readyLead: "Go on only if you asked for this yourself.",
        numberLead: "Go on only if the window where you began shows this number.",
        begunOn: "Begun on",
        begunWhen: "When",
        begunFor: "For",
        here: "This browser",
        deviceUnknown: "A device that we do not know",
        elsewhere: "This sign-in began somewhere else. If that was not you, refuse it.",
        confirm: "Yes, sign in",
        confirmNumber: "It matches, sign in",
        notMe: "This wasn’t me",
        unknownHeading: "This link doesn’t work",
        unknownAdvice: "Part of it may be missing. Open it again from the message, or have a new one sent.",
        expiredHeading: "This link is too old",
        expiredAdvice: "Go back to where you began and have a new one sent.",
        usedHeading: "This link was used before",
        usedAdvice: "Each works once. If that was not you, sign in and look at where you are signed in.",
        typeCode: "Type the code from the message",
        sentHeading: "Check your email",
        sentLead: { "We sent a link to \($0). Open it in this browser." },
        sentNumberLead: { "We sent a message to \($0). Open the link with this number, on any device." },
        numberLabel: "Your number",
        waiting: "Waiting for you to open the link. This page goes on by itself.",
        notArrived: "It did not come?",
        notArrivedAdvice: "Look into the spam folder, check the address, or have it sent again.",
        sentAgain: "A new message is on its way.",
        sentExpired: "This took too long, and the link no longer works. Have a new one sent.",
        doneHeading: { kind in
            switch kind {
            case .linkConfirmed: "That’s it"
            case .linkRefused: "Nobody was let in"
            case .addressVerified: "Your address is confirmed"
            case .passwordChanged: "Your password is changed"
            case .accountDeleted: "Your account is deleted"
            case .cancelled: "Nothing was changed"
            }
        },
        doneLead: { kind in
            switch kind {
            case .linkConfirmed: "The window where you began signs in now. You can close this one."
            case .linkRefused: "The link no longer works. If you keep getting such messages, change your password."
            case .addressVerified: "You can use it to sign in from now on."
            case .passwordChanged: "Use the new one from now on."
            case .accountDeleted: "You are signed out everywhere. You can close this window."
            case .cancelled: "You can close this window."
            }
        },
        onward: { $0.map { "Go on to \($0)" } ?? "Go to your settings" })

    static let german = LinkStrings(
        readyHeading: { "Bei \($0) anmelden?" },
        readyLead: "Fahren Sie nur fort, wenn Sie selbst darum gebeten haben.",
        numberLead: "Fahren Sie nur fort, wenn das Fenster, in dem Sie begonnen haben, diese Zahl zeigt.",
        begunOn: "Begonnen in",
        begunWhen: "Wann",
        begunFor: "Für",
        here: "Diesem Browser",
        deviceUnknown: "Einem Gerät, das wir nicht kennen",
        elsewhere: "Diese Anmeldung hat woanders begonnen. Waren Sie das nicht, lehnen Sie ab.",
        confirm: "Ja, anmelden",
        confirmNumber: "Sie stimmt, anmelden",
        notMe: "Das war ich nicht",
        unknownHeading: "Dieser Link funktioniert nicht",
        unknownAdvice:
            "Vielleicht fehlt ein Teil. Öffnen Sie ihn erneut aus der Nachricht oder lassen Sie sich einen neuen senden.",
        expiredHeading: "Dieser Link ist zu alt",
        expiredAdvice: "Gehen Sie dorthin zurück, wo Sie begonnen haben, und lassen Sie sich einen neuen senden.",
        usedHeading: "Dieser Link wurde schon benutzt",
        usedAdvice: "Jeder gilt einmal. Waren Sie das nicht, melden Sie sich an und prüfen Sie Ihre Anmeldungen.",
        typeCode: "Code aus der Nachricht eingeben",
        sentHeading: "Sehen Sie in Ihre E-Mails",
        sentLead: { "Wir haben einen Link an \($0) gesendet. Öffnen Sie ihn in diesem Browser." },
        sentNumberLead: {
            "Wir haben eine Nachricht an \($0) gesendet. Öffnen Sie den Link mit dieser Zahl, auf einem beliebigen Gerät."
        },
        numberLabel: "Ihre Zahl",
        waiting: "Wir warten, bis Sie den Link öffnen. Dann geht es hier von selbst weiter.",
        notArrived: "Nichts angekommen?",
        notArrivedAdvice: "Sehen Sie im Spam-Ordner nach, prüfen Sie die Adresse oder lassen Sie noch einmal senden.",
        sentAgain: "Eine neue Nachricht ist unterwegs.",
        sentExpired: "Das hat zu lange gedauert, der Link gilt nicht mehr. Lassen Sie sich einen neuen senden.",
        doneHeading: { kind in
            switch kind {
            case .linkConfirmed: "Das war’s"
            case .linkRefused: "Niemand wurde eingelassen"
            case .addressVerified: "Ihre Adresse ist bestätigt"
            case .passwordChanged: "Ihr Passwort ist geändert"
            case .accountDeleted: "Ihr Konto ist gelöscht"
            case .cancelled: "Es wurde nichts geändert"
            }
        },
        doneLead: { kind in
            switch kind {
            case .linkConfirmed:
                "Das Fenster, in dem Sie begonnen haben, meldet Sie nun an. Dieses können Sie schließen."
            case .linkRefused:
                "Der Link gilt nicht mehr. Bekommen Sie öfter solche Nachrichten, ändern Sie Ihr Passwort."
            case .addressVerified: "Sie können sich ab jetzt damit anmelden."
            case .passwordChanged: "Benutzen Sie ab jetzt das neue."
            case .accountDeleted: "Sie sind überall abgemeldet. Sie können dieses Fenster schließen."
            case .cancelled: "Sie können dieses Fenster schließen."
            }
        },
        onward: { $0.map { "Weiter zu \($0)" } ?? "Zu Ihren Einstellungen" })
}
