/// What the page of addresses, phone numbers and user names says.
struct IdentifiersStrings: PageStrings {
    let title: String
    let lead: String
    let kind: @Sendable (SettingsIdentifiersPage.Kind) -> String
    let primary: String
    let unverified: String
    let verified: String
    let makePrimary: String
    let verify: String
    let add: String
    let problem: @Sendable (SettingsIdentifiersPage.Problem) -> String
    let notice: @Sendable (SettingsIdentifiersPage.Notice) -> String
}

extension IdentifiersStrings {
    static let english = IdentifiersStrings(
        title: "Email addresses and phone numbers",
        lead: "You can sign in with each of these, and we can reach you there.",
        kind: { kind in
            switch kind {
            case .email: "Email"
            case .phone: "Phone"
            case .username: "User name"
            }
        },
        primary: "Primary",
        unverified: "Not confirmed",
        verified: "Confirmed",
        makePrimary: "Make primary",
        verify: "Confirm",
        add: "Add",
        problem: { kind in
            switch kind {
            case .invalid: "That is not an email address or phone number that we can use."
            case .unreachable: "We cannot send messages there, so it cannot be confirmed."
            case .taken: "This cannot be added here."
            case .tooMany: "There are too many. Remove one first."
            case .lastOne: "You cannot remove the last one: you could no longer sign in."
            case .tooManyMessages: "You asked for too many codes. Try again later."
            case .nameInvalid: "A user name has 3 to 64 characters: a to z, digits, dots, hyphens and underscores."
            case .tooManyNames: "You tried too many names. Try again later."
            }
        },
        notice: { kind in
            switch kind {
            case .added: "Added. Confirm it with the code that we sent."
            case .verified: "Confirmed."
            case .removed: "Removed."
            case .madePrimary: "This is now your primary one."
            case .messageSent: "A code is on its way."
            case .nameAdded: "Added. You can sign in with this name from now on."
            }
        })

    static let german = IdentifiersStrings(
        title: "E-Mail-Adressen und Telefonnummern",
        lead: "Damit können Sie sich anmelden und sind erreichbar.",
        kind: { kind in
            switch kind {
            case .email: "E-Mail"
            case .phone: "Telefon"
            case .username: "Benutzername"
            }
        },
        primary: "Hauptadresse",
        unverified: "Nicht bestätigt",
        verified: "Bestätigt",
        makePrimary: "Zur Hauptadresse machen",
        verify: "Bestätigen",
        add: "Hinzufügen",
        problem: { kind in
            switch kind {
            case .invalid: "Das ist weder eine Adresse noch eine Nummer, die wir benutzen können."
            case .unreachable: "Dorthin kann keine Nachricht gesendet werden, also lässt es sich nicht bestätigen."
            case .taken: "Das kann hier nicht hinzugefügt werden."
            case .tooMany: "Es sind zu viele. Entfernen Sie erst etwas."
            case .lastOne: "Die letzte Angabe bleibt: Sonst könnten Sie sich nicht mehr anmelden."
            case .tooManyMessages: "Es wurden zu viele Codes verlangt. Versuchen Sie es später wieder."
            case .nameInvalid:
                "Ein Benutzername hat 3 bis 64 Zeichen: a bis z, Ziffern, Punkte, Bindestriche und Unterstriche."
            case .tooManyNames: "Das waren zu viele Namen. Versuchen Sie es später wieder."
            }
        },
        notice: { kind in
            switch kind {
            case .added: "Hinzugefügt. Bestätigen Sie mit dem Code, den wir gesendet haben."
            case .verified: "Bestätigt."
            case .removed: "Entfernt."
            case .madePrimary: "Das ist nun die Hauptadresse."
            case .messageSent: "Ein Code ist unterwegs."
            case .nameAdded: "Hinzugefügt. Sie können sich ab jetzt mit diesem Namen anmelden."
            }
        })
}
