/// What the settings say about passkeys.
struct SettingsPasskeysStrings: PageStrings {
    let title: String
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

extension SettingsPasskeysStrings {
    static let english = SettingsPasskeysStrings(
        title: "Passkeys",
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

    static let german = SettingsPasskeysStrings(
        title: "Passkeys",
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
