/// What the page says that sets up an authenticator app.
struct TOTPStrings: PageStrings {
    let heading: String
    let scan: String
    let picture: String
    let open: String
    let cannotScan: String
    let key: String
    let type: String
    let submit: String
    let wrong: String
}

extension TOTPStrings {
    static let english = TOTPStrings(
        heading: "Set up an authenticator app",
        scan: "Scan this with your authenticator app.",
        picture: "A QR code with the key. The key itself follows as text.",
        open: "Open in an app on this device",
        cannotScan: "Can’t scan it?",
        key: "Type this key into the app:",
        type: "Then type the six digits that it shows.",
        submit: "Turn on",
        wrong: "That code is incorrect. Wait for the next one, and check that the device’s clock is right.")

    static let german = TOTPStrings(
        heading: "Authenticator-App einrichten",
        scan: "Scannen Sie dies mit Ihrer Authenticator-App.",
        picture: "Ein QR-Code mit dem Schlüssel. Der Schlüssel selbst folgt als Text.",
        open: "In einer App auf diesem Gerät öffnen",
        cannotScan: "Scannen geht nicht?",
        key: "Geben Sie diesen Schlüssel in die App ein:",
        type: "Geben Sie dann die sechs Ziffern ein, die sie zeigt.",
        submit: "Einschalten",
        wrong: "Dieser Code stimmt nicht. Warten Sie auf den nächsten, und prüfen Sie die Uhr des Geräts.")
}
