internal import Texts

/// What the settings say about sign-ins to apps.
struct AppSignInStrings: PageTexts {
    static let group = "appSignIn"
    let texts: TextGroup

    var endApp: String { texts["endApp"] }
    func since(_ begun: String, _ used: String) -> String { texts["since", ["begun": begun, "used": used]] }
    func permissionCount(_ count: Int) -> String { texts["permissionCount", count: count] }
}
