/// What the pages say on which a password is chosen, changed or reset.
struct PasswordStrings: PageStrings {
    let rulesTitle: String
    let ruleLength: @Sendable (_ count: Int) -> String
    let ruleLowercase: String
    let ruleUppercase: String
    let ruleNumber: String
    let ruleSymbol: String
    let ruleMet: String
    let ruleUnmet: String
    let advice: String
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
}

extension PasswordStrings {
    static let english = PasswordStrings(
        rulesTitle: "Your password needs",
        ruleLength: { "at least \($0) characters" },
        ruleLowercase: "a lowercase letter",
        ruleUppercase: "an uppercase letter",
        ruleNumber: "a digit",
        ruleSymbol: "a character that is neither letter nor digit",
        ruleMet: "done",
        ruleUnmet: "missing",
        advice: "Several unrelated words are easy to remember and hard to guess.",
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
        temporaryLead: "The password you were given works only once. Choose your own to continue.")

    static let german = PasswordStrings(
        rulesTitle: "Ihr Passwort braucht",
        ruleLength: { "mindestens \($0) Zeichen" },
        ruleLowercase: "einen Kleinbuchstaben",
        ruleUppercase: "einen Großbuchstaben",
        ruleNumber: "eine Ziffer",
        ruleSymbol: "ein Zeichen, das weder Buchstabe noch Ziffer ist",
        ruleMet: "erledigt",
        ruleUnmet: "fehlt",
        advice: "Mehrere Wörter, die nicht zusammengehören, sind leicht zu merken und schwer zu erraten.",
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
        newSubmit: "Passwort speichern",
        currentLabel: "Jetziges Passwort",
        wrongCurrent: "Das jetzige Passwort stimmt nicht.",
        endOthers: "Überall sonst abmelden",
        expiredHeading: "Zeit für ein neues Passwort",
        expiredLead: "Ihr altes Passwort ist abgelaufen. Wählen Sie ein neues, um fortzufahren.",
        temporaryLead: "Das Passwort, das Sie bekommen haben, gilt einmal. Wählen Sie ein eigenes, um fortzufahren.")
}
