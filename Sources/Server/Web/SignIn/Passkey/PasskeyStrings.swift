/// What the pages say about passkeys.
struct PasskeyStrings: Sendable {
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
    let lead: String
    let none: String
    let add: String
    let addHint: String
    let securityKey: String
    let storage: @Sendable (SettingsPasskeysPage.Storage) -> String
    let switchedOff: String
    let rename: String
    let nameLabel: String
    let switchOff: String
    let switchOn: String
    let problem: @Sendable (SettingsPasskeysPage.Problem) -> String
    let notice: @Sendable (SettingsPasskeysPage.Notice) -> String
    let removalHeading: String
    let removalLead: String
    let removalLast: String
    let back: String
    let count: @Sendable (_ count: Int) -> String
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
        continue: "Continue",
        lead: "Sign in with your fingerprint, your face or a device’s screen lock instead of a password.",
        none: "You have no passkeys yet.",
        add: "Add a passkey",
        addHint: "To add one, use a browser with JavaScript and passkeys.",
        securityKey: "Security key",
        storage: { kind in
            switch kind {
            case .synced: "Synced"
            case .notYetSynced: "Not synced yet"
            case .oneDevice: "On one device only"
            }
        },
        switchedOff: "Turned off",
        rename: "Rename",
        nameLabel: "Name",
        switchOff: "Turn off",
        switchOn: "Turn on",
        problem: { kind in
            switch kind {
            case .refused: "The passkey was not accepted. Try again."
            case .expired: "That took too long. Try again."
            case .taken: "This passkey is already registered."
            case .tooMany: "There are too many passkeys. Remove one first."
            case .nameInvalid: "A name has 1 to 64 characters, in one line."
            case .onlyWay:
                "You need this passkey: without it you could no longer sign in. Add another one or a password first."
            }
        },
        notice: { kind in
            switch kind {
            case .added: "Your passkey is ready. You can sign in with it from now on."
            case .renamed: "Renamed."
            case .removed: "Removed."
            case .switchedOn: "Turned on. You can sign in with it again."
            case .switchedOff: "Turned off. It can no longer be used to sign in."
            }
        },
        removalHeading: "Remove this passkey?",
        removalLead: "You will no longer be able to sign in with it. You may have to delete it on your device as well.",
        removalLast: "It is your only passkey. After that, you sign in with your password or a message.",
        back: "Back",
        count: { $0 == 0 ? "None" : $0 == 1 ? "1 passkey" : "\($0) passkeys" })

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
        continue: "Weiter",
        lead: "Melden Sie sich mit Fingerabdruck, Gesicht oder Gerätesperre an statt mit einem Passwort.",
        none: "Sie haben noch keine Passkeys.",
        add: "Passkey hinzufügen",
        addHint: "Dafür brauchen Sie einen Browser mit JavaScript, der Passkeys kennt.",
        securityKey: "Sicherheitsschlüssel",
        storage: { kind in
            switch kind {
            case .synced: "Synchronisiert"
            case .notYetSynced: "Noch nicht synchronisiert"
            case .oneDevice: "Nur auf einem Gerät"
            }
        },
        switchedOff: "Ausgeschaltet",
        rename: "Umbenennen",
        nameLabel: "Name",
        switchOff: "Ausschalten",
        switchOn: "Einschalten",
        problem: { kind in
            switch kind {
            case .refused: "Der Passkey wurde nicht angenommen. Versuchen Sie es noch einmal."
            case .expired: "Das hat zu lange gedauert. Versuchen Sie es noch einmal."
            case .taken: "Dieser Passkey ist schon registriert."
            case .tooMany: "Es sind zu viele Passkeys. Entfernen Sie erst einen."
            case .nameInvalid: "Ein Name hat 1 bis 64 Zeichen in einer Zeile."
            case .onlyWay:
                "Dieser Passkey bleibt: Sonst könnten Sie sich nicht mehr anmelden. Fügen Sie noch einen hinzu oder ein Passwort."
            }
        },
        notice: { kind in
            switch kind {
            case .added: "Ihr Passkey ist bereit. Ab jetzt können Sie sich damit anmelden."
            case .renamed: "Umbenannt."
            case .removed: "Entfernt."
            case .switchedOn: "Eingeschaltet. Sie können sich wieder damit anmelden."
            case .switchedOff: "Ausgeschaltet. Eine Anmeldung damit ist nicht mehr möglich."
            }
        },
        removalHeading: "Diesen Passkey entfernen?",
        removalLead:
            "Sie können sich damit nicht mehr anmelden. Auf Ihrem Gerät müssen Sie ihn vielleicht auch löschen.",
        removalLast: "Es ist Ihr einziger Passkey. Danach melden Sie sich mit Passwort oder per Nachricht an.",
        back: "Zurück",
        count: { $0 == 0 ? "Keine" : $0 == 1 ? "1 Passkey" : "\($0) Passkeys" })
}
