/// What the pages say on which people prove who they are.
struct VerificationStrings: Sendable {
    let or: String
    let orWithoutPassword: String
    let sendCodeOrLink: @Sendable (DeliveryReach.Kind) -> String
    let sendCode: @Sendable (DeliveryReach.Kind) -> String
    let sendLink: @Sendable (DeliveryReach.Kind) -> String
    let unreachable: @Sendable (DeliveryReach.Kind) -> String
    let forgotPassword: String
    let newHere: String
    let createAccount: String
    let nameMissing: String
    let methodsHeading: @Sendable (MethodsPage.Purpose) -> String
    let methodsLead: @Sendable (_ purpose: MethodsPage.Purpose, _ app: String) -> String
    let method: @Sendable (VerificationMethod) -> String
    let methodSentence: @Sendable (_ method: VerificationMethod, _ destination: String?) -> String
    let otherWays: String
    let codeHeading: @Sendable (CodeChannel) -> String
    let codeLead: @Sendable (_ channel: CodeChannel, _ destination: String) -> String
    let codeOrLinkLead: @Sendable (_ destination: String) -> String
    let codeLabel: String
    let codeSubmit: String
    let codeWrong: String
    let codeUsed: String
    let codeExpired: String
    let tooManyCodes: @Sendable (_ duration: String) -> String
    let tooManyAttempts: @Sendable (_ duration: String) -> String
    let sendAgain: String
    let sendAgainAfter: @Sendable (_ duration: String) -> String
    /// Followed by minutes and seconds that count down.
    let sendAgainIn: String
    let sentAgain: String
    let recoveryHeading: String
    let recoveryLead: String
    let recoveryLabel: String
    let recoveryWrong: String
}

extension VerificationStrings {
    static let english = VerificationStrings(
        or: "or",
        orWithoutPassword: "or without a password",
        sendCodeOrLink: { kind in
            switch kind {
            case .email: "Email me a code or link"
            case .phone: "Text me a code"
            case .emailOrPhone: "Send me a code or link"
            }
        },
        sendCode: { kind in
            switch kind {
            case .email: "Email me a code"
            case .phone: "Text me a code"
            case .emailOrPhone: "Send me a code"
            }
        },
        sendLink: { kind in
            switch kind {
            case .email: "Email me a link"
            case .phone: "Text me a link"
            case .emailOrPhone: "Send me a link"
            }
        },
        unreachable: { kind in
            kind == .phone
                ? "Messages can be sent to phone numbers only. Start with + and the country code."
                : "Messages can be sent to email addresses only."
        },
        forgotPassword: "Forgot your password?",
        newHere: "New here?",
        createAccount: "Create an account",
        nameMissing: "Type your email, phone or user name first.",
        methodsHeading: { purpose in
            switch purpose {
            case .signIn: "How do you want to sign in?"
            case .secondFactor, .passkey: "One more step"
            case .stepUp: "Confirm that it’s you"
            }
        },
        methodsLead: { purpose, app in
            switch purpose {
            case .signIn: "Choose a way to continue to \(app)."
            case .secondFactor: "Your account uses two-step verification. Choose how to confirm that it’s you."
            case .passkey: "Use your passkey to continue to \(app)."
            case .stepUp: "\(app) needs to be sure. Choose how to confirm that it’s you."
            }
        },
        method: { method in
            switch method {
            case .passkey: "Passkey"
            case .password: "Password"
            case .email: "Code by email"
            case .codeOrLink: "Code or link by email"
            case .sms: "Code by text message"
            case .whatsapp: "Code by WhatsApp"
            case .voice: "Code by phone call"
            case .numberedLink: "Link for another device, by email"
            case .numberedTextLink: "Link for another device, by text message"
            case .authenticator: "Authenticator app"
            case .recoveryCode: "Recovery code"
            }
        },
        methodSentence: { method, destination in
            let to = destination.map { " to \($0)" } ?? ""
            return switch method {
            case .passkey: "Use your fingerprint, your face or your device’s screen lock."
            case .password: "Type your password."
            case .email, .sms, .whatsapp: "We send six digits\(to)."
            case .codeOrLink: "We send six digits and a link\(to)."
            case .voice: "We call\(destination.map { " \($0)" } ?? "") and read out six digits."
            case .numberedLink, .numberedTextLink:
                "We send links with numbers\(to). Open the one with your number on any device."
            case .authenticator: "Type the six digits that your app shows."
            case .recoveryCode: "Use one of the codes that you saved."
            }
        },
        otherWays: "Use another way",
        codeHeading: { channel in
            switch channel {
            case .email: "Check your email"
            case .sms: "Check your messages"
            case .whatsapp: "Check WhatsApp"
            case .voice: "We are calling you"
            case .authenticator: "Open your authenticator app"
            }
        },
        codeLead: { channel, destination in
            switch channel {
            case .email, .sms, .whatsapp: "We sent a code to \(destination). Type it here."
            case .voice: "Answer \(destination), and type the digits that you hear."
            case .authenticator: "Type the six digits that it shows now."
            }
        },
        codeOrLinkLead: {
            "We sent a code and a link to \($0). Type the code here, or open the link in this browser."
        },
        codeLabel: "Code",
        codeSubmit: "Continue",
        codeWrong: "That code is incorrect. Check it and try again.",
        codeUsed: "That code was already used. Wait for the next one: your app shows a new code every 30 seconds.",
        codeExpired: "This code has expired. Ask for a new one.",
        tooManyCodes: { "Too many wrong codes were entered. Ask for a new code in \($0)." },
        tooManyAttempts: { "There were too many attempts. Try again in \($0)." },
        sendAgain: "Send again",
        sendAgainAfter: { "It can be sent again \($0) after this page appeared." },
        sendAgainIn: "Send again in",
        sentAgain: "A new code is on its way. Earlier codes still work until they expire.",
        recoveryHeading: "Use a recovery code",
        recoveryLead: "You got these codes when you turned on two-step verification. Each works once.",
        recoveryLabel: "Recovery code",
        recoveryWrong: "That code is incorrect or was already used. Try another one.")

    static let german = VerificationStrings(
        or: "oder",
        orWithoutPassword: "oder ohne Passwort",
        sendCodeOrLink: { kind in
            switch kind {
            case .email: "Code oder Link per E-Mail"
            case .phone: "Code per SMS"
            case .emailOrPhone: "Code oder Link senden"
            }
        },
        sendCode: { kind in
            switch kind {
            case .email: "Code per E-Mail"
            case .phone: "Code per SMS"
            case .emailOrPhone: "Code senden"
            }
        },
        sendLink: { kind in
            switch kind {
            case .email: "Link per E-Mail"
            case .phone: "Link per SMS"
            case .emailOrPhone: "Link senden"
            }
        },
        unreachable: { kind in
            kind == .phone
                ? "Nachrichten gehen hier nur an Telefonnummern. Beginnen Sie mit + und der Landesvorwahl."
                : "Nachrichten gehen hier nur an E-Mail-Adressen."
        },
        forgotPassword: "Passwort vergessen?",
        newHere: "Neu hier?",
        createAccount: "Konto anlegen",
        nameMissing: "Geben Sie zuerst E-Mail, Telefon oder Benutzernamen ein.",
        methodsHeading: { purpose in
            switch purpose {
            case .signIn: "Wie möchten Sie sich anmelden?"
            case .secondFactor, .passkey: "Noch ein Schritt"
            case .stepUp: "Bestätigen Sie, dass Sie es sind"
            }
        },
        methodsLead: { purpose, app in
            switch purpose {
            case .signIn: "Wählen Sie einen Weg, um mit \(app) fortzufahren."
            case .secondFactor: "Ihr Konto nutzt die Zwei-Schritt-Bestätigung. Wählen Sie, wie Sie sich ausweisen."
            case .passkey: "Verwenden Sie Ihren Passkey, um mit \(app) fortzufahren."
            case .stepUp: "\(app) muss sicher sein. Wählen Sie, wie Sie bestätigen, dass Sie es sind."
            }
        },
        method: { method in
            switch method {
            case .passkey: "Passkey"
            case .password: "Passwort"
            case .email: "Code per E-Mail"
            case .codeOrLink: "Code oder Link per E-Mail"
            case .sms: "Code per SMS"
            case .whatsapp: "Code per WhatsApp"
            case .voice: "Code per Anruf"
            case .numberedLink: "Link für ein anderes Gerät, per E-Mail"
            case .numberedTextLink: "Link für ein anderes Gerät, per SMS"
            case .authenticator: "Authenticator-App"
            case .recoveryCode: "Wiederherstellungscode"
            }
        },
        methodSentence: { method, destination in
            let to = destination.map { " an \($0)" } ?? ""
            return switch method {
            case .passkey: "Nehmen Sie Fingerabdruck, Gesicht oder Gerätesperre."
            case .password: "Geben Sie Ihr Passwort ein."
            case .email, .sms, .whatsapp: "Wir senden sechs Ziffern\(to)."
            case .codeOrLink: "Wir senden sechs Ziffern und einen Link\(to)."
            case .voice: "Wir rufen\(destination.map { " \($0)" } ?? "") an und sagen sechs Ziffern."
            case .numberedLink, .numberedTextLink:
                "Wir senden Links mit Zahlen\(to). Öffnen Sie den mit Ihrer Zahl auf einem beliebigen Gerät."
            case .authenticator: "Geben Sie die sechs Ziffern ein, die Ihre App zeigt."
            case .recoveryCode: "Nehmen Sie einen der Codes, die Sie gesichert haben."
            }
        },
        otherWays: "Anderen Weg wählen",
        codeHeading: { channel in
            switch channel {
            case .email: "Sehen Sie in Ihre E-Mails"
            case .sms: "Sehen Sie in Ihre Nachrichten"
            case .whatsapp: "Sehen Sie in WhatsApp nach"
            case .voice: "Wir rufen Sie an"
            case .authenticator: "Öffnen Sie Ihre Authenticator-App"
            }
        },
        codeLead: { channel, destination in
            switch channel {
            case .email, .sms, .whatsapp: "Wir haben einen Code an \(destination) gesendet. Geben Sie ihn hier ein."
            case .voice: "Nehmen Sie unter \(destination) ab und geben Sie die Ziffern ein, die Sie hören."
            case .authenticator: "Geben Sie die sechs Ziffern ein, die sie gerade zeigt."
            }
        },
        codeOrLinkLead: {
            "Wir haben einen Code und einen Link an \($0) gesendet. Geben Sie den Code hier ein oder öffnen Sie den Link in diesem Browser."
        },
        codeLabel: "Code",
        codeSubmit: "Weiter",
        codeWrong: "Dieser Code stimmt nicht. Prüfen Sie ihn und versuchen Sie es noch einmal.",
        codeUsed:
            "Dieser Code wurde schon benutzt. Warten Sie auf den nächsten: Ihre App zeigt alle 30 Sekunden einen neuen.",
        codeExpired: "Dieser Code ist zu alt. Lassen Sie sich einen neuen senden.",
        tooManyCodes: { "Es wurden zu viele falsche Codes eingegeben. Fordern Sie einen neuen Code an nach: \($0)." },
        tooManyAttempts: { "Es waren zu viele Versuche. Versuchen Sie es wieder nach: \($0)." },
        sendAgain: "Noch einmal senden",
        sendAgainAfter: { "Erneutes Senden ist möglich, sobald diese Seite so lange offen war: \($0)." },
        sendAgainIn: "Noch einmal senden in",
        sentAgain: "Ein neuer Code ist unterwegs. Frühere gelten weiter, bis sie ablaufen.",
        recoveryHeading: "Wiederherstellungscode benutzen",
        recoveryLead:
            "Diese Codes haben Sie beim Einschalten der Zwei-Schritt-Bestätigung bekommen. Jeder gilt einmal.",
        recoveryLabel: "Wiederherstellungscode",
        recoveryWrong: "Dieser Code stimmt nicht oder wurde schon benutzt. Versuchen Sie einen anderen.")
}
