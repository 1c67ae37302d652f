/// What the sign-up page says.
struct SignUpStrings: PageStrings {
    let heading: String
    let lead: @Sendable (_ app: String) -> String
    let name: String
    let email: String
    let phone: String
    let emailOrPhone: String
    let phoneHint: String
    let password: String
    let agree: String
    let submit: String
    let haveAccount: String
    let signIn: String
    let problem: @Sendable (SignUpPage.Problem) -> String
    let orWithoutPassword: String
    let sendCode: @Sendable (DeliveryReach.Kind) -> String
    let sendLink: @Sendable (DeliveryReach.Kind) -> String
}

extension SignUpStrings {
    static let english = SignUpStrings(
        heading: "Create an account",
        lead: { "to continue to \($0)" },
        name: "Name",
        email: "Email",
        phone: "Phone",
        emailOrPhone: "Email or phone",
        phoneHint: "A phone number starts with + and the country code.",
        password: "Choose a password",
        agree: "By continuing you accept the terms.",
        submit: "Create account",
        haveAccount: "Already have an account?",
        signIn: "Sign in",
        problem: { problem in
            switch problem {
            case .identifierInvalid(.email): "That does not look like an email address."
            case .identifierInvalid(.phone):
                "That does not look like a phone number. Start with + and the country code."
            case .identifierInvalid(.emailOrPhone): "That looks neither like an email address nor like a phone number."
            case .tooManyAttempts: "There were too many attempts. Try again later."
            }
        },
        orWithoutPassword: "or without a password",
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
        })

    static let german = SignUpStrings(
        heading: "Konto anlegen",
        lead: { "um fortzufahren mit \($0)" },
        name: "Name",
        email: "E-Mail",
        phone: "Telefon",
        emailOrPhone: "E-Mail oder Telefon",
        phoneHint: "Eine Telefonnummer beginnt mit + und der Landesvorwahl.",
        password: "Passwort wählen",
        agree: "Wenn Sie fortfahren, stimmen Sie den Bedingungen zu.",
        submit: "Konto anlegen",
        haveAccount: "Haben Sie schon ein Konto?",
        signIn: "Anmelden",
        problem: { problem in
            switch problem {
            case .identifierInvalid(.email): "Das sieht nicht wie eine E-Mail-Adresse aus."
            case .identifierInvalid(.phone):
                "Das sieht nicht wie eine Telefonnummer aus. Beginnen Sie mit + und der Landesvorwahl."
            case .identifierInvalid(.emailOrPhone):
                "Das sieht weder wie eine E-Mail-Adresse noch wie eine Telefonnummer aus."
            case .tooManyAttempts: "Es waren zu viele Versuche. Versuchen Sie es später wieder."
            }
        },
        orWithoutPassword: "oder ohne Passwort",
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
        })
}
