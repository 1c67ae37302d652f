extension Strings {
    static let german = Strings(
        footer: "Gesichert mit Keyturn",
        loginHeading: "Anmelden",
        loginLead: { "um fortzufahren mit \($0)" },
        reauthenticateHeading: "Bestätigen Sie, dass Sie es sind",
        reauthenticateLead: { "\($1), \($0) bittet Sie, sich erneut anzumelden." },
        usernameLabel: "E-Mail, Telefon oder Benutzername",
        passwordLabel: "Passwort",
        show: "Zeigen",
        hide: "Verbergen",
        loginSubmit: "Anmelden",
        cancel: "Abbrechen",
        wrongCredentials: "Name oder Passwort stimmt nicht. Prüfen Sie beides und versuchen Sie es noch einmal.",
        busy: "Gerade melden sich sehr viele Menschen an. Versuchen Sie es gleich noch einmal.",
        consentHeading: { "\($0) erlauben?" },
        consentLead: { "Sie sind angemeldet als \($0). Die App könnte dann:" },
        consentDestination: { "In jedem Fall geht es weiter zu \($0)." },
        unverified: "Diese App wurde nicht geprüft. Fahren Sie nur fort, wenn Sie ihrem Hersteller vertrauen.",
        allow: "Erlauben",
        deny: "Nicht erlauben",
        policy: "Datenschutz",
        terms: "Nutzungsbedingungen",
        scope: { name in
            switch name {
            case "openid": "Wissen, dass Sie es sind"
            case "profile": "Ihren Namen und Ihr Profil sehen"
            case "email": "Ihre E-Mail-Adresse sehen"
            case "phone": "Ihre Telefonnummer sehen"
            case "address": "Ihre Postanschrift sehen"
            case "offline_access": "Zugriff behalten, während Sie weg sind, bis Sie ihn widerrufen"
            case "device_sso": "Andere Apps desselben Herstellers auf diesem Gerät anmelden"
            default: "„\(name)“ in Ihrem Namen benutzen"
            }
        },
        logoutHeading: "Abmelden?",
        logoutLead: { $0.map { "Sie sind angemeldet als \($0)." } ?? "Sie sind auf diesem Gerät angemeldet." },
        logoutSubmit: "Abmelden",
        stay: "Angemeldet bleiben",
        signedOutHeading: "Sie sind abgemeldet",
        signedOutLead: "Sie können dieses Fenster schließen.",
        signInAgain: "Wieder anmelden",
        formPostHeading: "Einen Moment",
        formPostLead: "Sie werden zur App zurückgebracht.",
        formPostSubmit: "Weiter",
        errorHeading: { kind in
            switch kind {
            case .badRequest: "Diese Anfrage funktioniert nicht"
            case .unknownClient: "Unbekannte App"
            case .redirectMismatch: "Die Adresse dieser App passt nicht"
            case .expired: "Diese Seite ist abgelaufen"
            case .cookiesBlocked: "Dieses Formular wird nicht angenommen"
            case .tooLarge: "Diese Anfrage ist zu groß"
            case .notFound: "Seite nicht gefunden"
            case .serverTrouble: "Bei uns ist etwas schiefgegangen"
            case .methodNotAllowed: "So lässt sich diese Adresse nicht verwenden"
            }
        },
        errorAdvice: { kind in
            switch kind {
            case .badRequest:
                "Gehen Sie zurück zur App und versuchen Sie es noch einmal. Passiert es wieder, muss ihr Hersteller es beheben."
            case .unknownClient: "Die App, von der Sie kommen, ist nicht registriert. Das muss ihr Hersteller tun."
            case .redirectMismatch:
                "Zu Ihrer Sicherheit leiten wir Sie nicht weiter. Der Hersteller der App muss ihre Adresse registrieren."
            case .expired: "Gehen Sie zurück zur App und beginnen Sie von vorn."
            case .cookiesBlocked:
                "Erlauben Sie Cookies für diese Seite, gehen Sie zurück zur App und beginnen Sie von vorn."
            case .tooLarge: "Gehen Sie zurück zur App und versuchen Sie es mit weniger Daten."
            case .notFound: "Prüfen Sie die Adresse, oder gehen Sie zurück zur App."
            case .serverTrouble: "Versuchen Sie es gleich noch einmal. Es wurde nichts verändert."
            case .methodNotAllowed: "Gehen Sie zurück zur App und beginnen Sie von vorn."
            }
        },
        errorDetails: "Angaben für den Hersteller der App",
        errorStatus: "Status",
        errorDetail: "Grund",
        errorReference: "Kennung",
        homeHeading: "Identitätsserver",
        homeLead: "Er läuft. Beginnen Sie in einer App, um sich anzumelden.",
        homeDevelopmentHeading: "Keyturn läuft",
        homeDevelopmentLead:
            "Ein Identitätsserver zum Ausprobieren, mit einem Demo-Benutzer. Beim Beenden wird alles gelöscht.",
        tryTitle: "Hier anmelden",
        tryText: "Sehen Sie die Seiten und was eine App über Sie erfährt.",
        trySubmit: "Anmelden ausprobieren",
        toolTitle: "In der Kommandozeile anmelden",
        toolText: "Ein Browser öffnet sich. Danach behält die Kommandozeile die Sitzung und erneuert sie.",
        buildTitle: "In Swift anmelden",
        buildText: "Dasselbe in einer eigenen App:",
        issuer: "Aussteller",
        discovery: "Discovery-Dokument",
        claimsHeading: "Sie sind angemeldet",
        claimsLead: "Das erfährt eine App über Sie und Ihre Sitzung.",
        signedInAt: "Angemeldet",
        signedInBy: "Mit",
        tokenExpires: "Zugriffstoken gültig bis",
        idToken: "ID-Token",
        accessToken: "Zugriffstoken",
        userInfo: "UserInfo",
        rawToken: "Kodiert",
        signOut: "Abmelden",
        detail: .german,
        proof: .german,
        lost: .german,
        link: .german,
        account: .german,
        settings: .german,
        passkey: .german,
        device: .german,
        time: .german,
        outbox: .german)
}
