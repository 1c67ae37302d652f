/// What the pages say about links in messages.
struct LinkStrings: PageStrings {
    let readyHeading: @Sendable (_ purpose: LinkPage.Purpose, _ app: String) -> String
    let readyLead: @Sendable (LinkPage.Purpose) -> String
    let numberLead: String
    let begunOn: String
    let begunWhen: String
    let begunFor: String
    let account: String
    let newAddress: String
    let here: String
    let elsewhere: @Sendable (LinkPage.Purpose) -> String
    let codeElsewhere: String
    let confirm: @Sendable (LinkPage.Purpose) -> String
    let confirmNumber: @Sendable (LinkPage.Purpose) -> String
    let notMe: String
    let unknownHeading: String
    let unknownAdvice: String
    let expiredHeading: String
    let expiredAdvice: String
    let usedHeading: String
    let usedAdvice: String
    let failedHeading: String
    let failedAdvice: String
    let beginAgain: String
    let typeCode: String
    let sentLead: @Sendable (_ destination: String) -> String
    let sentNumberLead: @Sendable (_ destination: String) -> String
    let numberLabel: String
    let waiting: String
    let notArrived: String
    let notArrivedAdvice: String
    let sentAgain: String
    let sentExpired: String
    let signIn: String
}

extension LinkStrings {
    static let english = LinkStrings(
        readyHeading: { purpose, app in
            switch purpose {
            case .signIn: "Sign in to \(app)?"
            case .signUp: "Create your account at \(app)?"
            case .passwordReset: "Choose a new password?"
            case .newAddress: "Is this your address?"
            }
        },
        readyLead: { purpose in
            purpose == .newAddress
                ? "Someone who is signed in wants to add this address to their account. Confirm only if that is you: the owner of that account will be able to use it."
                : "Continue only if you asked for this yourself."
        },
        numberLead: "Continue only if the window where you started shows this number.",
        begunOn: "Started on",
        begunWhen: "When",
        begunFor: "For",
        account: "Account",
        newAddress: "New address",
        here: "This browser",
        elsewhere: { purpose in
            purpose == .signIn
                ? "This sign-in was started on another device or in another browser. If that was not you, refuse it."
                : "This was started on another device or in another browser. If that was not you, refuse it."
        },
        codeElsewhere:
            "The link signs you in here. To sign in where you started, type the code from the same message there.",
        confirm: { purpose in
            switch purpose {
            case .signIn: "Yes, sign in"
            case .signUp: "Yes, create it"
            case .passwordReset: "Yes, continue"
            case .newAddress: "Yes, it is mine"
            }
        },
        confirmNumber: { $0 == .signIn ? "It matches, sign in" : "It matches, continue" },
        notMe: "This wasn’t me",
        unknownHeading: "This link doesn’t work",
        unknownAdvice: "Part of it may be missing. Open it again from the message, or ask for a new one.",
        expiredHeading: "This link has expired",
        expiredAdvice: "Links work for ten minutes. Go back to where you started and ask for a new one.",
        usedHeading: "This link was already used",
        usedAdvice:
            "Each link works once. If that was you, continue where you started. If not, check where your account is signed in.",
        failedHeading: "This did not work",
        failedAdvice:
            "Either you are no longer signed in where you started, or the address belongs to another account. Sign in and try again with a code.",
        beginAgain: "Start again",
        typeCode: "Type the code from the message",
        sentLead: { "We sent a link to \($0). Open it in this browser." },
        sentNumberLead: { "We sent a message to \($0). Open the link with this number, on any device." },
        numberLabel: "Your number",
        waiting: "Waiting for you to open the link. This page will continue by itself.",
        notArrived: "Did not get it?",
        notArrivedAdvice: "Check your spam folder and the address, or send it again.",
        sentAgain: "A new message is on its way.",
        sentExpired: "This took too long, and the link no longer works. Ask for a new one.",
        signIn: "Sign in")

    static let german = LinkStrings(
        readyHeading: { purpose, app in
            switch purpose {
            case .signIn: "Bei \(app) anmelden?"
            case .signUp: "Konto bei \(app) anlegen?"
            case .passwordReset: "Neues Passwort wählen?"
            case .newAddress: "Ist das Ihre Adresse?"
            }
        },
        readyLead: { purpose in
            purpose == .newAddress
                ? "Jemand, der angemeldet ist, möchte sie seinem Konto hinzufügen. Bestätigen Sie nur, wenn Sie das sind: Der Inhaber jenes Kontos kann die Adresse dann benutzen."
                : "Fahren Sie nur fort, wenn Sie selbst darum gebeten haben."
        },
        numberLead: "Fahren Sie nur fort, wenn das Fenster, in dem Sie begonnen haben, diese Zahl zeigt.",
        begunOn: "Gerät",
        begunWhen: "Wann",
        begunFor: "Für",
        account: "Konto",
        newAddress: "Neue Adresse",
        here: "Dieser Browser",
        elsewhere: { purpose in
            purpose == .signIn
                ? "Diese Anmeldung hat auf einem anderen Gerät oder in einem anderen Browser begonnen. Waren Sie das nicht, lehnen Sie ab."
                : "Das hat auf einem anderen Gerät oder in einem anderen Browser begonnen. Waren Sie das nicht, lehnen Sie ab."
        },
        codeElsewhere:
            "Der Link meldet Sie hier an. Um sich dort anzumelden, wo Sie begonnen haben, geben Sie dort den Code aus derselben Nachricht ein.",
        confirm: { purpose in
            switch purpose {
            case .signIn: "Ja, anmelden"
            case .signUp: "Ja, anlegen"
            case .passwordReset: "Ja, weiter"
            case .newAddress: "Ja, sie gehört mir"
            }
        },
        confirmNumber: { $0 == .signIn ? "Sie stimmt, anmelden" : "Sie stimmt, weiter" },
        notMe: "Das war ich nicht",
        unknownHeading: "Dieser Link funktioniert nicht",
        unknownAdvice:
            "Vielleicht fehlt ein Teil. Öffnen Sie ihn erneut aus der Nachricht oder lassen Sie sich einen neuen senden.",
        expiredHeading: "Dieser Link ist zu alt",
        expiredAdvice:
            "Links gelten zehn Minuten. Gehen Sie dorthin zurück, wo Sie begonnen haben, und lassen Sie sich einen neuen senden.",
        usedHeading: "Dieser Link wurde schon benutzt",
        usedAdvice:
            "Jeder gilt einmal. Waren Sie es selbst, geht es dort weiter, wo Sie begonnen haben. Wenn nicht, prüfen Sie, wo Ihr Konto angemeldet ist.",
        failedHeading: "Das ging nicht",
        failedAdvice:
            "Dort, wo es begonnen hat, ist niemand mehr angemeldet, oder die Adresse gehört zu einem anderen Konto. Melden Sie sich an und versuchen Sie es mit einem Code.",
        beginAgain: "Neu beginnen",
        typeCode: "Code aus der Nachricht eingeben",
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
        signIn: "Anmelden")
}
