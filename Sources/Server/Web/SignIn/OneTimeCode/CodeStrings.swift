/// What the page for a one-time code says.
struct CodeStrings: PageStrings {
    let heading: @Sendable (CodeChannel) -> String
    let lead: @Sendable (_ channel: CodeChannel, _ destination: String) -> String
    let codeOrLinkLead: @Sendable (_ destination: String) -> String
    let label: String
    let submit: String
    let wrong: String
    let used: String
    let expired: String
    let tooManyCodes: @Sendable (_ duration: String) -> String
    let otherWays: String
    let sendAgain: String
    let sendAgainAfter: @Sendable (_ duration: String) -> String
    /// Followed by minutes and seconds that count down.
    let sendAgainIn: String
    let sentAgain: String
}

extension CodeStrings {
    static let english = CodeStrings(
        heading: { channel in
            switch channel {
            case .email: "Check your email"
            case .sms: "Check your messages"
            case .whatsapp: "Check WhatsApp"
            case .voice: "We are calling you"
            case .authenticator: "Open your authenticator app"
            }
        },
        lead: { channel, destination in
            switch channel {
            case .email, .sms, .whatsapp: "We sent a code to \(destination). Type it here."
            case .voice: "Answer \(destination), and type the digits that you hear."
            case .authenticator: "Type the six digits that it shows now."
            }
        },
        codeOrLinkLead: {
            "We sent a code and a link to \($0). Type the code here, or open the link in this browser."
        },
        label: "Code",
        submit: "Continue",
        wrong: "That code is incorrect. Check it and try again.",
        used: "That code was already used. Wait for the next one: your app shows a new code every 30 seconds.",
        expired: "This code has expired. Ask for a new one.",
        tooManyCodes: { "Too many wrong codes were entered. Ask for a new code in \($0)." },
        otherWays: "Use another way",
        sendAgain: "Send again",
        sendAgainAfter: { "It can be sent again \($0) after this page appeared." },
        sendAgainIn: "Send again in",
        sentAgain: "A new code is on its way. Earlier codes still work until they expire.")

    static let german = CodeStrings(
        heading: { channel in
            switch channel {
            case .email: "Sehen Sie in Ihre E-Mails"
            case .sms: "Sehen Sie in Ihre Nachrichten"
            case .whatsapp: "Sehen Sie in WhatsApp nach"
            case .voice: "Wir rufen Sie an"
            case .authenticator: "Öffnen Sie Ihre Authenticator-App"
            }
        },
        lead: { channel, destination in
            switch channel {
            case .email, .sms, .whatsapp: "Wir haben einen Code an \(destination) gesendet. Geben Sie ihn hier ein."
            case .voice: "Nehmen Sie unter \(destination) ab und geben Sie die Ziffern ein, die Sie hören."
            case .authenticator: "Geben Sie die sechs Ziffern ein, die sie gerade zeigt."
            }
        },
        codeOrLinkLead: {
            "Wir haben einen Code und einen Link an \($0) gesendet. Geben Sie den Code hier ein oder öffnen Sie den Link in diesem Browser."
        },
        label: "Code",
        submit: "Weiter",
        wrong: "Dieser Code stimmt nicht. Prüfen Sie ihn und versuchen Sie es noch einmal.",
        used:
            "Dieser Code wurde schon benutzt. Warten Sie auf den nächsten: Ihre App zeigt alle 30 Sekunden einen neuen.",
        expired: "Dieser Code ist zu alt. Lassen Sie sich einen neuen senden.",
        tooManyCodes: { "Es wurden zu viele falsche Codes eingegeben. Fordern Sie in \($0) einen neuen an." },
        otherWays: "Anderen Weg wählen",
        sendAgain: "Noch einmal senden",
        sendAgainAfter: { "Noch einmal senden können Sie \($0) nach dem Öffnen dieser Seite." },
        sendAgainIn: "Noch einmal senden in",
        sentAgain: "Ein neuer Code ist unterwegs. Frühere gelten weiter, bis sie ablaufen.")
}
