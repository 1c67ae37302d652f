internal import Texts

/// What the page says that shows what an app learns.
struct ClaimsStrings: PageTexts {
    static let group = "claims"
    let texts: TextGroup

    var heading: String { texts["heading"] }
    var lead: String { texts["lead"] }
    var signedInAt: String { texts["signedInAt"] }
    var signedInBy: String { texts["signedInBy"] }
    var tokenExpires: String { texts["tokenExpires"] }
    var idToken: String { texts["idToken"] }
    var accessToken: String { texts["accessToken"] }
    var userInfo: String { texts["userInfo"] }
    var rawToken: String { texts["rawToken"] }
}
