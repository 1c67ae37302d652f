internal import Texts

/// What the page says that sets up an authenticator app.
struct TOTPStrings: PageTexts {
    static let group = "totp"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    var scan: String { texts["scan"] }
    var picture: String { texts["picture"] }
    var open: String { texts["open"] }
    var cannotScan: String { texts["cannotScan"] }
    var key: String { texts["key"] }
    var type: String { texts["type"] }
    var submit: String { texts["submit"] }
    var wrong: String { texts["wrong"] }
}
