/// What the settings say.
struct SettingsStrings: Sendable {
    let languageName: String
    let heading: String
    let lead: @Sendable (_ person: String) -> String
    let section: @Sendable (SettingsSection) -> String
    let unverified: String
    let verified: String
    let off: String
    let passwordSet: @Sendable (_ since: String) -> String
    let passwordNone: String
    let secondStepOff: String
    let codesLeft: @Sendable (_ count: Int) -> String
    let sessionCount: @Sendable (_ count: Int) -> String
    let deleteSummary: String
    let save: String
    let saved: String
    let displayName: String
    let givenName: String
    let familyName: String
    let picture: String
    let pictureHint: String
    let language: String
    let languageOfBrowser: String
    let profileProblem: @Sendable (SettingsProfilePage.Problem) -> String
    let identifiersLead: String
    let identifierKind: @Sendable (SettingsIdentifiersPage.Kind) -> String
    let primary: String
    let makePrimary: String
    let verify: String
    let remove: String
    let removeSure: String
    let add: String
    let identifierProblem: @Sendable (SettingsIdentifiersPage.Problem) -> String
    let identifierNotice: @Sendable (SettingsIdentifiersPage.Notice) -> String
    let passwordLead: String
    let passwordFirstLead: String
    let passwordSaved: String
    let authenticatorsLead: String
    let apps: String
    let authenticatorFacts: @Sendable (_ added: String, _ used: String?) -> String
    let addAuthenticator: String
    let recoveryCodes: String
    let renewCodes: String
    let renewSure: String
    let authenticatorNotice: @Sendable (SettingsAuthenticatorsPage.Notice) -> String
    let sessionsLead: String
    let thisBrowser: String
    let otherBrowsers: String
    let appsWithAccess: String
    let copies: CopiedTokenStrings
    let signIns: AppSignInStrings
    let touchSignIns: String
    let touchSignInsLead: String
    let none: String
    let end: String
    let endAll: String
    let endAllSure: String
    let lastUsed: @Sendable (_ since: String) -> String
    let sessionNotice: @Sendable (SettingsSessionsPage.Notice) -> String
    let deleteLead: String
    let deleteConfirm: String
    let deleteSubmit: String
    let deleteUnconfirmed: String
}

extension SettingsStrings {
    static let english = SettingsStrings(
        languageName: "English",
        heading: "Settings",
        lead: { "You are signed in as \($0)." },
        section: { kind in
            switch kind {
            case .overview: "Overview"
            case .profile: "Profile"
            case .identifiers: "Email addresses and phone numbers"
            case .password: "Password"
            case .passkeys: "Passkeys"
            case .authenticators: "Two-step verification"
            case .sessions: "Devices and sessions"
            case .delete: "Delete account"
            }
        },
        unverified: "Not confirmed",
        verified: "Confirmed",
        off: "Off",
        passwordSet: { "Changed \($0)" },
        passwordNone: "No password yet",
        secondStepOff: "Two-step verification is off.",
        codesLeft: { $0 == 1 ? "1 recovery code is left." : "\($0) recovery codes are left." },
        sessionCount: { $0 == 1 ? "Only here" : "In \($0) places" },
        deleteSummary: "Permanently, with everything that belongs to it.",
        save: "Save",
        saved: "Saved.",
        displayName: "Display name",
        givenName: "First name",
        familyName: "Last name",
        picture: "Picture address",
        pictureHint: "It starts with https://.",
        language: "Language",
        languageOfBrowser: "Same as the browser",
        profileProblem: { kind in
            switch kind {
            case .tooLong: "One of these is too long."
            case .pictureInvalid: "The picture address is not valid. It starts with https://."
            }
        },
        identifiersLead: "You can sign in with each of these, and we can reach you there.",
        identifierKind: { kind in
            switch kind {
            case .email: "Email"
            case .phone: "Phone"
            case .username: "User name"
            }
        },
        primary: "Primary",
        makePrimary: "Make primary",
        verify: "Confirm",
        remove: "Remove",
        removeSure: "You can no longer sign in with it.",
        add: "Add",
        identifierProblem: { kind in
            switch kind {
            case .invalid: "That is not an email address or phone number that we can use."
            case .unreachable: "We cannot send messages there, so it cannot be confirmed."
            case .taken: "This cannot be added here."
            case .tooMany: "There are too many. Remove one first."
            case .lastOne: "You cannot remove the last one: you could no longer sign in."
            case .tooManyMessages: "You asked for too many codes. Try again later."
            }
        },
        identifierNotice: { kind in
            switch kind {
            case .added: "Added. Confirm it with the code that we sent."
            case .verified: "Confirmed."
            case .removed: "Removed."
            case .madePrimary: "This is now your primary one."
            case .messageSent: "A code is on its way."
            }
        },
        passwordLead: "Changing it keeps you signed in here.",
        passwordFirstLead: "You have no password yet. With one, you can sign in without waiting for a message.",
        passwordSaved: "Your password is saved.",
        authenticatorsLead: "Two-step verification keeps others out, even if they know your password.",
        apps: "Authenticator apps",
        authenticatorFacts: { "Added \($0), " + ($1.map { "last used \($0)" } ?? "never used") },
        addAuthenticator: "Add an authenticator app",
        recoveryCodes: "Recovery codes",
        renewCodes: "Create new codes",
        renewSure: "Your current codes will stop working.",
        authenticatorNotice: { kind in
            switch kind {
            case .added: "Two-step verification is on."
            case .removed: "Removed."
            }
        },
        sessionsLead: "Sign out of anything you don’t recognise or no longer need.",
        thisBrowser: "This browser",
        otherBrowsers: "Other browsers",
        appsWithAccess: "Apps with access",
        copies: .english,
        signIns: .english,
        touchSignIns: "Fingerprint and face sign-in",
        touchSignInsLead: "These devices can sign in with a fingerprint or a face.",
        none: "None.",
        end: "Sign out",
        endAll: "Sign out everywhere else",
        endAllSure: "Other browsers and all apps must sign in again.",
        lastUsed: { "last used \($0)" },
        sessionNotice: { kind in
            switch kind {
            case .ended: "Signed out."
            case .othersEnded: "You are now signed in only here."
            case .keyRemoved: "Removed. That device must sign in again."
            }
        },
        deleteLead:
            "Your profile, your ways to sign in and your sessions are deleted. Apps may keep the data that they have. This cannot be undone.",
        deleteConfirm: "Yes, delete my account permanently",
        deleteSubmit: "Delete account",
        deleteUnconfirmed: "Tick the box if you are sure.")

    static let german = SettingsStrings(
        languageName: "Deutsch",
        heading: "Einstellungen",
        lead: { "Sie sind angemeldet als \($0)." },
        section: { kind in
            switch kind {
            case .overview: "Überblick"
            case .profile: "Profil"
            case .identifiers: "E-Mail-Adressen und Telefonnummern"
            case .password: "Passwort"
            case .passkeys: "Passkeys"
            case .authenticators: "Zwei-Schritt-Bestätigung"
            case .sessions: "Geräte und Sitzungen"
            case .delete: "Konto löschen"
            }
        },
        unverified: "Nicht bestätigt",
        verified: "Bestätigt",
        off: "Aus",
        passwordSet: { "Geändert \($0)" },
        passwordNone: "Noch kein Passwort",
        secondStepOff: "Die Zwei-Schritt-Bestätigung ist aus.",
        codesLeft: { $0 == 1 ? "1 Wiederherstellungscode ist übrig." : "\($0) Wiederherstellungscodes sind übrig." },
        sessionCount: { $0 == 1 ? "Nur hier" : "Auf \($0) Geräten oder in Apps" },
        deleteSummary: "Endgültig, mit allem, was dazugehört.",
        save: "Sichern",
        saved: "Gesichert.",
        displayName: "Anzeigename",
        givenName: "Vorname",
        familyName: "Nachname",
        picture: "Adresse eines Bildes",
        pictureHint: "Sie beginnt mit https://.",
        language: "Sprache",
        languageOfBrowser: "Wie im Browser",
        profileProblem: { kind in
            switch kind {
            case .tooLong: "Eine der Angaben ist zu lang."
            case .pictureInvalid: "Die Adresse des Bildes stimmt nicht. Sie beginnt mit https://."
            }
        },
        identifiersLead: "Damit können Sie sich anmelden und sind erreichbar.",
        identifierKind: { kind in
            switch kind {
            case .email: "E-Mail"
            case .phone: "Telefon"
            case .username: "Benutzername"
            }
        },
        primary: "Hauptadresse",
        makePrimary: "Zur Hauptadresse machen",
        verify: "Bestätigen",
        remove: "Entfernen",
        removeSure: "Sie können sich damit nicht mehr anmelden.",
        add: "Hinzufügen",
        identifierProblem: { kind in
            switch kind {
            case .invalid: "Das ist weder eine Adresse noch eine Nummer, die wir benutzen können."
            case .unreachable: "Dorthin kann keine Nachricht gesendet werden, also lässt es sich nicht bestätigen."
            case .taken: "Das kann hier nicht hinzugefügt werden."
            case .tooMany: "Es sind zu viele. Entfernen Sie erst etwas."
            case .lastOne: "Die letzte Angabe bleibt: Sonst könnten Sie sich nicht mehr anmelden."
            case .tooManyMessages: "Es wurden zu viele Codes verlangt. Versuchen Sie es später wieder."
            }
        },
        identifierNotice: { kind in
            switch kind {
            case .added: "Hinzugefügt. Bestätigen Sie mit dem Code, den wir gesendet haben."
            case .verified: "Bestätigt."
            case .removed: "Entfernt."
            case .madePrimary: "Das ist nun die Hauptadresse."
            case .messageSent: "Ein Code ist unterwegs."
            }
        },
        passwordLead: "Hier bleiben Sie dabei angemeldet.",
        passwordFirstLead: "Sie haben noch kein Passwort. Damit können Sie sich ohne Nachricht anmelden.",
        passwordSaved: "Ihr Passwort ist gesichert.",
        authenticatorsLead: "Die Zwei-Schritt-Bestätigung hält andere fern, selbst wenn sie Ihr Passwort kennen.",
        apps: "Authenticator-Apps",
        authenticatorFacts: { "Hinzugefügt: \($0), " + ($1.map { "zuletzt benutzt: \($0)" } ?? "nie benutzt") },
        addAuthenticator: "Authenticator-App hinzufügen",
        recoveryCodes: "Wiederherstellungscodes",
        renewCodes: "Neue erzeugen",
        renewSure: "Die bisherigen gelten dann nicht mehr.",
        authenticatorNotice: { kind in
            switch kind {
            case .added: "Die Zwei-Schritt-Bestätigung ist an."
            case .removed: "Entfernt."
            }
        },
        sessionsLead: "Melden Sie ab, was Sie nicht kennen oder nicht mehr brauchen.",
        thisBrowser: "Dieser Browser",
        otherBrowsers: "Andere Browser",
        appsWithAccess: "Apps mit Zugriff",
        copies: .german,
        signIns: .german,
        touchSignIns: "Anmelden mit Fingerabdruck oder Gesicht",
        touchSignInsLead: "Diese Geräte können sich mit Fingerabdruck oder Gesicht anmelden.",
        none: "Keine.",
        end: "Abmelden",
        endAll: "Überall sonst abmelden",
        endAllSure: "Andere Browser und alle Apps müssen sich neu anmelden.",
        lastUsed: { "zuletzt benutzt \($0)" },
        sessionNotice: { kind in
            switch kind {
            case .ended: "Abgemeldet."
            case .othersEnded: "Sie sind nun nur noch hier angemeldet."
            case .keyRemoved: "Entfernt. Jenes Gerät muss sich neu anmelden."
            }
        },
        deleteLead:
            "Ihr Profil, Ihre Anmeldewege und Ihre Sitzungen werden gelöscht. Apps behalten vielleicht Daten. Das lässt sich nicht rückgängig machen.",
        deleteConfirm: "Ja, mein Konto endgültig löschen",
        deleteSubmit: "Konto löschen",
        deleteUnconfirmed: "Setzen Sie das Häkchen, wenn Sie sicher sind.")
}
