/// What the choice of a verification method says.
struct MethodsStrings: PageStrings {
    let heading: @Sendable (MethodsPage.Purpose) -> String
    let lead: @Sendable (_ purpose: MethodsPage.Purpose, _ app: String) -> String
    let name: @Sendable (VerificationMethod) -> String
    let sentence: @Sendable (_ method: VerificationMethod, _ destination: String?) -> String
}

extension MethodsStrings {
    static let english = MethodsStrings(
        heading: { purpose in
            switch purpose {
            case .signIn: "How do you want to sign in?"
            case .secondFactor, .passkey: "One more step"
            }
        },
        lead: { purpose, app in
            switch purpose {
            case .signIn: "Choose a way to continue to \(app)."
            case .secondFactor: "Your account uses two-step verification. Choose how to confirm that it’s you."
            case .passkey: "Use your passkey to continue to \(app)."
            }
        },
        name: { method in
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
            case .otherDevice: "Approve on another device"
            }
        },
        sentence: { method, destination in
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
            case .otherDevice: "Type a number on a device where you are signed in."
            }
        })

    static let german = MethodsStrings(
        heading: { purpose in
            switch purpose {
            case .signIn: "Wie möchten Sie sich anmelden?"
            case .secondFactor, .passkey: "Noch ein Schritt"
            }
        },
        lead: { purpose, app in
            switch purpose {
            case .signIn: "Wählen Sie einen Weg, um mit \(app) fortzufahren."
            case .secondFactor: "Ihr Konto nutzt die Zwei-Schritt-Bestätigung. Wählen Sie, wie Sie sich ausweisen."
            case .passkey: "Verwenden Sie Ihren Passkey, um mit \(app) fortzufahren."
            }
        },
        name: { method in
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
            case .otherDevice: "Auf einem anderen Gerät freigeben"
            }
        },
        sentence: { method, destination in
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
            case .recoveryCode: "Nehmen Sie einen der Codes, die Sie gespeichert haben."
            case .otherDevice: "Geben Sie eine Zahl auf einem Gerät ein, auf dem Sie angemeldet sind."
            }
        })
}
