/// What the preview of the theme says.
struct ThemeStrings: PageStrings {
    let heading: String
    let lead: String
    let builtIn: String
    let light: String
    let dark: String
    let sampleHeading: String
    let sampleLead: String
    let link: String
    let alert: String
    let notice: String
    let warning: String
    let wrongValue: String
    let code: String
    let primary: String
    let way: String
    let pointed: String
    let secondary: String
    let list: String
    let listItem: String
    let listFacts: String
    let good: String
    let rename: String
    let remove: String
    let scan: String
    let qrCode: String
    let contrast: String
    let contrastLead: String
    let pair: String
    let needed: String
    let on: String
    let textUse: String
    let shapeUse: String
    let tooLow: String
    let samples: String
    let startPage: String
    let signIn: String
    let device: String
    let settings: String
    let signOut: String
    let error: String
    let outbox: String

    func scheme(_ scheme: ThemeScheme) -> String { scheme == .light ? light : dark }
    func use(_ use: ContrastPair.Use) -> String { use == .text ? textUse : shapeUse }

    /// By the names that the templates use.
    var values: [String: String] {
        [
            "heading": heading, "lead": lead, "sampleHeading": sampleHeading, "sampleLead": sampleLead, "link": link,
            "alert": alert, "notice": notice, "warning": warning, "wrongValue": wrongValue, "code": code,
            "primary": primary, "way": way, "pointed": pointed, "secondary": secondary, "list": list,
            "listItem": listItem, "listFacts": listFacts, "good": good, "rename": rename, "remove": remove,
            "scan": scan, "qrCode": qrCode, "contrast": contrast, "contrastLead": contrastLead, "pair": pair,
            "needed": needed, "light": light, "dark": dark, "samples": samples,
        ]
    }
}

extension ThemeStrings {
    static let english = ThemeStrings(
        heading: "Theme",
        lead: "The elements of the pages, light and dark, and the contrast of every pair of colours.",
        builtIn: "No theme is configured: this is the built-in look.",
        light: "Light",
        dark: "Dark",
        sampleHeading: "Sign in",
        sampleLead: "To continue to Harbour Tickets.",
        link: "A link",
        alert: "The password is wrong.",
        notice: "We sent you a code.",
        warning: "You have one recovery code left.",
        wrongValue: "maria@example.test",
        code: "Code",
        primary: "Continue",
        way: "Another way",
        pointed: "Under the pointer",
        secondary: "Cancel",
        list: "Passkeys",
        listItem: "This laptop",
        listFacts: "Added today",
        good: "Synced",
        rename: "Rename",
        remove: "Remove",
        scan: "Authenticator app",
        qrCode: "The frame of a QR code",
        contrast: "Contrast",
        contrastLead: "Ratios by WCAG 2.2. A theme below level AA is refused.",
        pair: "Colours",
        needed: "Needed",
        on: "on",
        textUse: "text",
        shapeUse: "shape",
        tooLow: "too low",
        samples: "Pages in this theme",
        startPage: "Start page",
        signIn: "Sign-in",
        device: "Code of a device",
        settings: "Settings",
        signOut: "Sign-out",
        error: "Error",
        outbox: "Messages")

    static let german = ThemeStrings(
        heading: "Design",
        lead: "Die Elemente der Seiten, hell und dunkel, und der Kontrast jedes Farbpaars.",
        builtIn: "Es ist kein Design eingerichtet: Dies ist das eingebaute.",
        light: "Hell",
        dark: "Dunkel",
        sampleHeading: "Anmelden",
        sampleLead: "Weiter zu Harbour Tickets.",
        link: "Ein Link",
        alert: "Das Passwort ist falsch.",
        notice: "Wir haben Ihnen einen Code geschickt.",
        warning: "Sie haben noch einen Wiederherstellungscode.",
        wrongValue: "maria@example.test",
        code: "Code",
        primary: "Weiter",
        way: "Anderer Weg",
        pointed: "Unter dem Zeiger",
        secondary: "Abbrechen",
        list: "Passkeys",
        listItem: "Dieser Laptop",
        listFacts: "Heute hinzugefügt",
        good: "Synchronisiert",
        rename: "Umbenennen",
        remove: "Entfernen",
        scan: "Authenticator-App",
        qrCode: "Der Rahmen eines QR-Codes",
        contrast: "Kontrast",
        contrastLead: "Verhältnisse nach WCAG 2.2. Ein Design unter Stufe AA wird abgelehnt.",
        pair: "Farben",
        needed: "Nötig",
        on: "auf",
        textUse: "Text",
        shapeUse: "Form",
        tooLow: "zu gering",
        samples: "Seiten in diesem Design",
        startPage: "Startseite",
        signIn: "Anmeldung",
        device: "Code eines Geräts",
        settings: "Einstellungen",
        signOut: "Abmeldung",
        error: "Fehler",
        outbox: "Nachrichten")
}
