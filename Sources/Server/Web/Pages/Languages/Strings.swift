/// What a page or several say, in every language. A language that lacks a text does not compile.
protocol PageStrings: Sendable {
    static var english: Self { get }
    static var german: Self { get }
}

/// What several pages say, and the way to the texts of each: `strings[LinkStrings.self]`.
struct Strings: PageStrings {
    let language: Language
    let footer: String
    let usernameLabel: String
    let passwordLabel: String
    let show: String
    let hide: String
    let cancel: String
    let busy: String
    let tooManyAttempts: @Sendable (_ duration: String) -> String
    let unverified: String
    let deny: String
    let policy: String
    let terms: String
    let scope: @Sendable (_ name: String) -> String
    let signOut: String
    let onward: @Sendable (_ app: String?) -> String
    let deviceUnknown: String
    let time: TimeWords

    /// The texts of a page, in the same language.
    subscript<Texts: PageStrings>(_ texts: Texts.Type) -> Texts { language.texts(texts) }
}

extension Strings {
    static let english = Strings(
        language: .english,
        footer: "Secured by Keyturn",
        usernameLabel: "Email, phone or user name",
        passwordLabel: "Password",
        show: "Show",
        hide: "Hide",
        cancel: "Cancel",
        busy: "Many people are signing in right now. Try again in a moment.",
        tooManyAttempts: { "There were too many attempts. Try again in \($0)." },
        unverified: "This app has not been reviewed. Continue only if you trust who made it.",
        deny: "Don’t allow",
        policy: "Privacy policy",
        terms: "Terms of service",
        scope: { name in
            switch name {
            case "openid": "Know that it is you"
            case "profile": "See your name and profile"
            case "email": "See your email address"
            case "phone": "See your phone number"
            case "address": "See your postal address"
            case "offline_access": "Keep access while you are away, until you revoke it"
            case "device_sso": "Let its maker’s other apps on this device sign you in"
            default: "Use “\(name)” on your behalf"
            }
        },
        signOut: "Sign out",
        onward: { $0.map { "Continue to \($0)" } ?? "Go to your settings" },
        deviceUnknown: "An unknown device",
        time: .english)

    static let german = Strings(
        language: .german,
        footer: "Gesichert mit Keyturn",
        usernameLabel: "E-Mail, Telefon oder Benutzername",
        passwordLabel: "Passwort",
        show: "Zeigen",
        hide: "Verbergen",
        cancel: "Abbrechen",
        busy: "Gerade melden sich sehr viele Menschen an. Versuchen Sie es gleich noch einmal.",
        tooManyAttempts: { "Es waren zu viele Versuche. Versuchen Sie es in \($0) wieder." },
        unverified: "Diese App wurde nicht geprüft. Fahren Sie nur fort, wenn Sie ihrem Hersteller vertrauen.",
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
        signOut: "Abmelden",
        onward: { $0.map { "Weiter zu \($0)" } ?? "Zu Ihren Einstellungen" },
        deviceUnknown: "Unbekanntes Gerät",
        time: .german)
}
