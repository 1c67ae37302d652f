/// What the sign-in pages say about passkeys.
struct PasskeyStrings: PageStrings {
    let signIn: String
    let useInstead: String
    let failed: @Sendable (PasskeyButton.Kind) -> String
    let excluded: String
    let refusal: @Sendable (PasskeyRefusal) -> String
    let onlyPasskeys: String
    let offerHeading: String
    let offerLead: String
    let offerPoints: [String]
    let offerSubmit: String
    let later: String
    let waiting: String
    let goOn: String
    let ceremonyHeading: @Sendable (PasskeyButton.Kind) -> String
    let ceremonyLead: @Sendable (PasskeyButton.Kind) -> String
    let ceremonyWarning: String
    let needsScripts: String
    let service: String
    let create: String
    let `continue`: String
}

extension PasskeyStrings {
    static let english = PasskeyStrings(
        signIn: "Sign in with a passkey",
        useInstead: "Use a passkey instead",
        failed: { kind in
            kind == .get
                ? "The passkey could not be used here. Try again, or use another way."
                : "No passkey could be created here. Try again, or use another device."
        },
        excluded: "This device already has a passkey for your account.",
        refusal: { kind in
            switch kind {
            case .expired: "That took too long. Try again with your passkey."
            case .unknown: "This passkey no longer works here. Sign in another way."
            case .switchedOff: "This passkey is turned off. Sign in another way, then turn it on in your settings."
            case .refused: "The passkey was not accepted. Try again, or use another way."
            }
        },
        onlyPasskeys: "You cannot use a passkey here. Continue in a browser, on a device that has it.",
        offerHeading: "Sign in faster next time",
        offerLead: "Create a passkey, and sign in with your fingerprint, your face or this device’s screen lock.",
        offerPoints: [
            "Nothing to remember, nothing to type", "It works only on this site: a fake page cannot steal it",
        ],
        offerSubmit: "Create a passkey",
        later: "Not now",
        waiting: "One moment …",
        goOn: "Continue",
        ceremonyHeading: { $0 == .get ? "Use your passkey" : "Create a passkey" },
        ceremonyLead: {
            $0 == .get
                ? "A program on this computer asks you to sign in."
                : "A program on this computer asks you to create a passkey."
        },
        ceremonyWarning: "Continue only if you have just started this in a program on this computer.",
        needsScripts: "Passkeys need a browser with JavaScript.",
        service: "Service",
        create: "Create a passkey",
        continue: "Continue")

    static let german = PasskeyStrings(
        signIn: "Mit Passkey anmelden",
        useInstead: "Stattdessen Passkey verwenden",
        failed: { kind in
            kind == .get
                ? "Der Passkey ließ sich hier nicht verwenden. Versuchen Sie es noch einmal oder auf anderem Weg."
                : "Hier ließ sich kein Passkey erstellen. Versuchen Sie es noch einmal oder auf einem anderen Gerät."
        },
        excluded: "Auf diesem Gerät gibt es schon einen Passkey für Ihr Konto.",
        refusal: { kind in
            switch kind {
            case .expired: "Das hat zu lange gedauert. Versuchen Sie es noch einmal mit Ihrem Passkey."
            case .unknown: "Dieser Passkey ist hier nicht mehr bekannt. Melden Sie sich auf anderem Weg an."
            case .switchedOff:
                "Dieser Passkey ist ausgeschaltet. Melden Sie sich anders an; in den Einstellungen schalten Sie ihn ein."
            case .refused: "Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal oder auf anderem Weg."
            }
        },
        onlyPasskeys: "Hier geht das nicht. Fahren Sie mit einem Browser und einem Gerät fort, die ihn haben.",
        offerHeading: "Beim nächsten Mal schneller",
        offerLead: "Mit einem Passkey melden Sie sich per Fingerabdruck, Gesicht oder Gerätesperre an.",
        offerPoints: [
            "Nichts zu merken, nichts zu tippen",
            "Gilt nur auf dieser Website: Keine gefälschte Seite kann ihn stehlen",
        ],
        offerSubmit: "Passkey erstellen",
        later: "Nicht jetzt",
        waiting: "Einen Moment …",
        goOn: "Weiter",
        ceremonyHeading: { $0 == .get ? "Passkey verwenden" : "Passkey erstellen" },
        ceremonyLead: {
            $0 == .get
                ? "Ein Programm auf diesem Computer bittet Sie, sich anzumelden."
                : "Ein Programm auf diesem Computer bittet Sie, einen Passkey zu erstellen."
        },
        ceremonyWarning:
            "Fahren Sie nur fort, wenn Sie das eben in einem Programm auf diesem Computer begonnen haben.",
        needsScripts: "Passkeys brauchen einen Browser mit JavaScript.",
        service: "Dienst",
        create: "Passkey erstellen",
        continue: "Weiter")
}
