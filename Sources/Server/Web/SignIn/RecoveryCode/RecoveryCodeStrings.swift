/// What the pages say on which users save and use recovery codes.
struct RecoveryCodeStrings: PageStrings {
    let heading: String
    let lead: String
    let label: String
    let wrong: String
    let newHeading: String
    let newLead: String
    let replaced: String
    let copy: String
    let copied: String
    let download: String
    let print: String
    let kept: String
}

extension RecoveryCodeStrings {
    static let english = RecoveryCodeStrings(
        heading: "Use a recovery code",
        lead: "You got these codes when you turned on two-step verification. Each works once.",
        label: "Recovery code",
        wrong: "That code is incorrect or was already used. Try another one.",
        newHeading: "Save your recovery codes",
        newLead: "Use them to sign in if you lose your authenticator app. Each works once. They are shown only now.",
        replaced: "Earlier recovery codes no longer work.",
        copy: "Copy",
        copied: "Copied",
        download: "Download",
        print: "Print",
        kept: "I’ve saved them")

    static let german = RecoveryCodeStrings(
        heading: "Wiederherstellungscode benutzen",
        lead:
            "Diese Codes haben Sie beim Einschalten der Zwei-Schritt-Bestätigung bekommen. Jeder gilt einmal.",
        label: "Wiederherstellungscode",
        wrong: "Dieser Code stimmt nicht oder wurde schon benutzt. Versuchen Sie einen anderen.",
        newHeading: "Speichern Sie Ihre Wiederherstellungscodes",
        newLead:
            "Damit melden Sie sich an, wenn Sie Ihre Authenticator-App verlieren. Jeder gilt einmal. Sie werden nur jetzt gezeigt.",
        replaced: "Frühere Wiederherstellungscodes gelten nicht mehr.",
        copy: "Kopieren",
        copied: "Kopiert",
        download: "Herunterladen",
        print: "Drucken",
        kept: "Ich habe sie gespeichert")
}
