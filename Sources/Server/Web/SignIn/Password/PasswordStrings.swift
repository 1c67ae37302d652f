/// What the pages say on which accounts are opened, and passwords and authenticators set up.
struct AccountStrings: Sendable {
    let signUpHeading: String
    let signUpLead: @Sendable (_ app: String) -> String
    let name: String
    let email: String
    let phone: String
    let emailOrPhone: String
    let phoneHint: String
    let signUpPassword: String
    let agree: String
    let agreeSilently: String
    let signUpSubmit: String
    let haveAccount: String
    let signIn: String
    let signUpProblem: @Sendable (SignUpPage.Problem) -> String
    let rulesTitle: String
    let ruleLength: @Sendable (_ count: Int) -> String
    let ruleLowercase: String
    let ruleUppercase: String
    let ruleNumber: String
    let ruleSymbol: String
    let ruleMet: String
    let ruleUnmet: String
    let passwordAdvice: String
    let refusalTitle: String
    let refusal: @Sendable (PasswordRefusal) -> String
    let resetHeading: String
    let resetLead: String
    let resetSubmit: String
    let newHeading: String
    let newLead: @Sendable (_ person: String) -> String
    let newLabel: String
    let newSubmit: String
    let currentLabel: String
    let wrongCurrent: String
    let endOthers: String
    let expiredHeading: String
    let expiredLead: String
    let temporaryLead: String
    let setupHeading: String
    let setupScan: String
    let setupPicture: String
    let setupOpen: String
    let setupCannotScan: String
    let setupKey: String
    let setupType: String
    let setupSubmit: String
    let setupWrong: String
    let codesHeading: String
    let codesLead: String
    let codesReplaced: String
    let copy: String
    let copied: String
    let download: String
    let print: String
    let codesKept: String
}

extension AccountStrings {
    static let english = AccountStrings(
        signUpHeading: "Create an account",
        signUpLead: { "to continue to \($0)" },
        name: "Name",
        email: "Email",
        phone: "Phone",
        emailOrPhone: "Email or phone",
        phoneHint: "A phone number starts with + and the country code.",
        signUpPassword: "Choose a password",
        agree: "I accept the terms.",
        agreeSilently: "By continuing you accept the terms.",
        signUpSubmit: "Create account",
        haveAccount: "Already have an account?",
        signIn: "Sign in",
        signUpProblem: { problem in
            switch problem {
            case .identifierInvalid(.email): "That does not look like an email address."
            case .identifierInvalid(.phone):
                "That does not look like a phone number. Start with + and the country code."
            case .identifierInvalid(.emailOrPhone): "That looks neither like an email address nor like a phone number."
            case .taken: "There is already an account with this name. Sign in, or choose another."
            case .termsNeeded: "Accept the terms to continue."
            case .tooManyAttempts: "There were too many attempts. Try again later."
            case .busy: "Many people are signing up right now. Try again in a moment."
            }
        },
        rulesTitle: "Your password needs",
        ruleLength: { "at least \($0) characters" },
        ruleLowercase: "a lowercase letter",
        ruleUppercase: "an uppercase letter",
        ruleNumber: "a digit",
        ruleSymbol: "a character that is neither letter nor digit",
        ruleMet: "done",
        ruleUnmet: "missing",
        passwordAdvice: "Several unrelated words are easy to remember and hard to guess.",
        refusalTitle: "Choose another password:",
        refusal: { refusal in
            switch refusal {
            case .tooShort: "It is too short."
            case .tooLong: "It is too long."
            case .noLowercase: "It has no lowercase letter."
            case .noUppercase: "It has no uppercase letter."
            case .noNumber: "It has no digit."
            case .noSymbol: "It has only letters and digits."
            case .breached: "It is on lists of leaked passwords, which attackers try first."
            case .likeName: "It is too similar to your name or address."
            case .reused: "You have used it here before."
            }
        },
        resetHeading: "Reset your password",
        resetLead: "Enter your email, phone number or user name. If there is an account, we will send it a message.",
        resetSubmit: "Send the message",
        newHeading: "Choose a new password",
        newLead: { "for \($0)" },
        newLabel: "New password",
        newSubmit: "Save password",
        currentLabel: "Current password",
        wrongCurrent: "The current password is incorrect.",
        endOthers: "Sign me out everywhere else",
        expiredHeading: "Time for a new password",
        expiredLead: "Your old password has expired. Choose a new one to continue.",
        temporaryLead: "The password you were given works only once. Choose your own to continue.",
        setupHeading: "Set up an authenticator app",
        setupScan: "Scan this with your authenticator app.",
        setupPicture: "A QR code with the key. The key itself follows as text.",
        setupOpen: "Open in an app on this device",
        setupCannotScan: "Can’t scan it?",
        setupKey: "Type this key into the app:",
        setupType: "Then type the six digits that it shows.",
        setupSubmit: "Turn on",
        setupWrong: "That code is incorrect. Wait for the next one, and check that the device’s clock is right.",
        codesHeading: "Save your recovery codes",
        codesLead: "Use them to sign in if you lose your authenticator app. Each works once. They are shown only now.",
        codesReplaced: "Earlier recovery codes no longer work.",
        copy: "Copy",
        copied: "Copied",
        download: "Download",
        print: "Print",
        codesKept: "I’ve saved them")

    static let german = AccountStrings(
        signUpHeading: "Konto anlegen",
        signUpLead: { "um fortzufahren mit \($0)" },
        name: "Name",
        email: "E-Mail",
        phone: "Telefon",
        emailOrPhone: "E-Mail oder Telefon",
        phoneHint: "Eine Telefonnummer beginnt mit + und der Landesvorwahl.",
        signUpPassword: "Passwort wählen",
        agree: "Ich stimme den Bedingungen zu.",
        agreeSilently: "Wenn Sie fortfahren, stimmen Sie den Bedingungen zu.",
        signUpSubmit: "Konto anlegen",
        haveAccount: "Haben Sie schon ein Konto?",
        signIn: "Anmelden",
        signUpProblem: { problem in
            switch problem {
            case .identifierInvalid(.email): "Das sieht nicht wie eine E-Mail-Adresse aus."
            case .identifierInvalid(.phone):
                "Das sieht nicht wie eine Telefonnummer aus. Beginnen Sie mit + und der Landesvorwahl."
            case .identifierInvalid(.emailOrPhone):
                "Das sieht weder wie eine E-Mail-Adresse noch wie eine Telefonnummer aus."
            case .taken: "Ein solches Konto gibt es schon. Melden Sie sich an oder wählen Sie etwas anderes."
            case .termsNeeded: "Stimmen Sie den Bedingungen zu, um fortzufahren."
            case .tooManyAttempts: "Es waren zu viele Versuche. Versuchen Sie es später wieder."
            case .busy: "Gerade legen sehr viele Menschen Konten an. Versuchen Sie es gleich noch einmal."
            }
        },
        rulesTitle: "Ihr Passwort braucht",
        ruleLength: { "mindestens \($0) Zeichen" },
        ruleLowercase: "einen Kleinbuchstaben",
        ruleUppercase: "einen Großbuchstaben",
        ruleNumber: "eine Ziffer",
        ruleSymbol: "ein Zeichen, das weder Buchstabe noch Ziffer ist",
        ruleMet: "erledigt",
        ruleUnmet: "fehlt",
        passwordAdvice: "Mehrere Wörter, die nicht zusammengehören, sind leicht zu merken und schwer zu erraten.",
        refusalTitle: "Wählen Sie ein anderes Passwort:",
        refusal: { refusal in
            switch refusal {
            case .tooShort: "Es ist zu kurz."
            case .tooLong: "Es ist zu lang."
            case .noLowercase: "Ihm fehlt ein Kleinbuchstabe."
            case .noUppercase: "Ihm fehlt ein Großbuchstabe."
            case .noNumber: "Ihm fehlt eine Ziffer."
            case .noSymbol: "Ihm fehlt ein Zeichen, das weder Buchstabe noch Ziffer ist."
            case .breached: "Es steht auf Listen gestohlener Passwörter, die Angreifer zuerst ausprobieren."
            case .likeName: "Es ähnelt Ihrem Namen oder Ihrer Adresse zu sehr."
            case .reused: "Sie haben es hier schon benutzt."
            }
        },
        resetHeading: "Passwort zurücksetzen",
        resetLead:
            "Geben Sie E-Mail, Telefonnummer oder Benutzernamen ein. Gibt es ein Konto, senden wir eine Nachricht.",
        resetSubmit: "Nachricht senden",
        newHeading: "Neues Passwort wählen",
        newLead: { "für \($0)" },
        newLabel: "Neues Passwort",
        newSubmit: "Passwort sichern",
        currentLabel: "Jetziges Passwort",
        wrongCurrent: "Das jetzige Passwort stimmt nicht.",
        endOthers: "Überall sonst abmelden",
        expiredHeading: "Zeit für ein neues Passwort",
        expiredLead: "Ihr altes Passwort ist abgelaufen. Wählen Sie ein neues, um fortzufahren.",
        temporaryLead: "Das Passwort, das Sie bekommen haben, gilt einmal. Wählen Sie ein eigenes, um fortzufahren.",
        setupHeading: "Authenticator-App einrichten",
        setupScan: "Scannen Sie dies mit Ihrer Authenticator-App.",
        setupPicture: "Ein QR-Code mit dem Schlüssel. Der Schlüssel selbst folgt als Text.",
        setupOpen: "In einer App auf diesem Gerät öffnen",
        setupCannotScan: "Scannen geht nicht?",
        setupKey: "Geben Sie diesen Schlüssel in die App ein:",
        setupType: "Geben Sie dann die sechs Ziffern ein, die sie zeigt.",
        setupSubmit: "Einschalten",
        setupWrong: "Dieser Code stimmt nicht. Warten Sie auf den nächsten, und prüfen Sie die Uhr des Geräts.",
        codesHeading: "Sichern Sie Ihre Wiederherstellungscodes",
        codesLead:
            "Damit melden Sie sich an, wenn Sie Ihre Authenticator-App verlieren. Jeder gilt einmal. Sie werden nur jetzt gezeigt.",
        codesReplaced: "Frühere Wiederherstellungscodes gelten nicht mehr.",
        copy: "Kopieren",
        copied: "Kopiert",
        download: "Herunterladen",
        print: "Drucken",
        codesKept: "Ich habe sie gesichert")
}
