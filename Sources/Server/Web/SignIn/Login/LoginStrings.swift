/// What the sign-in page says.
struct LoginStrings: PageStrings {
    let heading: String
    let lead: @Sendable (_ app: String) -> String
    let reauthenticateHeading: String
    let reauthenticateLead: @Sendable (_ app: String, _ person: String) -> String
    let submit: String
    let wrongCredentials: String
    let or: String
    let sendCodeOrLink: @Sendable (DeliveryReach.Kind) -> String
    let unreachable: @Sendable (DeliveryReach.Kind) -> String
    let forgotPassword: String
    let newHere: String
    let createAccount: String
    let nameMissing: String
}

extension LoginStrings {
    static let english = LoginStrings(
        heading: "Sign in",
        lead: { "to continue to \($0)" },
        reauthenticateHeading: "Confirm that it’s you",
        reauthenticateLead: { "\($1), \($0) asks you to sign in again." },
        submit: "Sign in",
        wrongCredentials: "The name or password is incorrect. Check both and try again.",
        or: "or",
        sendCodeOrLink: { kind in
            switch kind {
            case .email: "Email me a code or link"
            case .phone: "Text me a code"
            case .emailOrPhone: "Send me a code or link"
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
        nameMissing: "Type your email, phone or user name first.")

    static let german = LoginStrings(
        heading: "Anmelden",
        lead: { "um fortzufahren mit \($0)" },
        reauthenticateHeading: "Bestätigen Sie, dass Sie es sind",
        reauthenticateLead: { "\($1), \($0) bittet Sie, sich erneut anzumelden." },
        submit: "Anmelden",
        wrongCredentials: "Name oder Passwort stimmt nicht. Prüfen Sie beides und versuchen Sie es noch einmal.",
        or: "oder",
        sendCodeOrLink: { kind in
            switch kind {
            case .email: "Code oder Link per E-Mail"
            case .phone: "Code per SMS"
            case .emailOrPhone: "Code oder Link senden"
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
        nameMissing: "Geben Sie zuerst E-Mail, Telefon oder Benutzernamen ein.")
}
