internal import Model

/// What the pages of a journey's steps say where the operator gives no text.
struct JourneyStrings: PageStrings {
    let fieldsHeading: String
    let fieldsLead: @Sendable (_ app: String) -> String
    let documentHeading: String
    let documentLead: @Sendable (_ app: String) -> String
    let tenantsHeading: String
    let tenantsLead: @Sendable (_ app: String) -> String
    let providersHeading: String
    let providersLead: @Sendable (_ app: String) -> String
    let connect: @Sendable (_ provider: String) -> String
    let accountExistsHeading: String
    let accountExistsLead: @Sendable (_ app: String) -> String
    let factorHeading: String
    let factorLead: @Sendable (_ app: String) -> String
    let refusedHeading: String
    let refusedLead: @Sendable (_ app: String) -> String
    let next: String
    let skip: String
    let accept: String
    let read: String
    let version: @Sendable (_ version: String) -> String
    let optional: String
    let choose: String
    let problem: String
    let form: @Sendable (_ mask: String) -> String
    let refusal: @Sendable (JourneyField.Refusal) -> String
    let identify: String
    let methodRefused: String
}

extension JourneyStrings {
    static let english = JourneyStrings(
        fieldsHeading: "A few details",
        fieldsLead: { "\($0) needs to know this about you." },
        documentHeading: "Please agree",
        documentLead: { "To use \($0), read this and agree to it." },
        tenantsHeading: "Choose an organisation",
        tenantsLead: { "You belong to several. Which one do you use \($0) for?" },
        providersHeading: "Connect an account",
        providersLead: { "\($0) works together with an account of yours at another service." },
        connect: { "Connect \($0)" },
        accountExistsHeading: "You already have an account",
        accountExistsLead: { "This page of \($0) is for new users. Cancel, and sign in as usual." },
        factorHeading: "A second factor is needed",
        factorLead: {
            "\($0) asks for a second factor that you have not set up. Add it in your settings, then try again."
        },
        refusedHeading: "You cannot continue",
        refusedLead: { "This sign-in to \($0) is not allowed." },
        next: "Continue",
        skip: "Not now",
        accept: "I agree",
        read: "Read it",
        version: { "Version \($0)" },
        optional: "optional",
        choose: "Choose …",
        problem: "Please check what you entered.",
        form: { "It has this form: \($0) (A: a letter, 9: a digit)." },
        refusal: { refusal in
            switch refusal {
            case .missing: "Fill this in."
            case .invalid: "This is not valid."
            case .tooYoung(let years): "You must be at least \(years) years old."
            case .length(let length): "Enter \(length.lowerBound) to \(length.upperBound) characters."
            case .range(let range): "Enter a number from \(range.lowerBound) to \(range.upperBound)."
            case .form(let mask): "It does not have the form \(mask)."
            }
        },
        identify: "Continue",
        methodRefused: "This app does not accept that way of signing in. Choose one of these.")

    static let german = JourneyStrings(
        fieldsHeading: "Ein paar Angaben",
        fieldsLead: { "\($0) muss das von Ihnen wissen." },
        documentHeading: "Bitte stimmen Sie zu",
        documentLead: { "Lesen Sie dies und stimmen Sie zu, um \($0) zu benutzen." },
        tenantsHeading: "Organisation wählen",
        tenantsLead: { "Sie gehören zu mehreren. Für welche benutzen Sie \($0)?" },
        providersHeading: "Konto verknüpfen",
        providersLead: { "\($0) arbeitet mit einem Konto zusammen, das Sie bei einem anderen Dienst haben." },
        connect: { "\($0) verknüpfen" },
        accountExistsHeading: "Sie haben schon ein Konto",
        accountExistsLead: {
            "Diese Seite von \($0) ist für neue Benutzer. Brechen Sie ab und melden Sie sich wie gewohnt an."
        },
        factorHeading: "Ein zweiter Faktor fehlt",
        factorLead: {
            "\($0) verlangt einen zweiten Faktor, den Sie nicht eingerichtet haben. Richten Sie ihn in Ihren Einstellungen ein und versuchen Sie es dann wieder."
        },
        refusedHeading: "Hier geht es nicht weiter",
        refusedLead: { "Diese Anmeldung bei \($0) ist nicht erlaubt." },
        next: "Weiter",
        skip: "Jetzt nicht",
        accept: "Ich stimme zu",
        read: "Lesen",
        version: { "Fassung \($0)" },
        optional: "freiwillig",
        choose: "Bitte wählen …",
        problem: "Bitte prüfen Sie Ihre Angaben.",
        form: { "Es hat diese Form: \($0) (A: ein Buchstabe, 9: eine Ziffer)." },
        refusal: { refusal in
            switch refusal {
            case .missing: "Füllen Sie dies aus."
            case .invalid: "Das ist nicht gültig."
            case .tooYoung(let years): "Sie müssen mindestens \(years) Jahre alt sein."
            case .length(let length): "Geben Sie \(length.lowerBound) bis \(length.upperBound) Zeichen ein."
            case .range(let range): "Geben Sie eine Zahl von \(range.lowerBound) bis \(range.upperBound) ein."
            case .form(let mask): "Es hat nicht die Form \(mask)."
            }
        },
        identify: "Weiter",
        methodRefused: "Diese App nimmt diese Art der Anmeldung nicht an. Wählen Sie eine von diesen.")
}
