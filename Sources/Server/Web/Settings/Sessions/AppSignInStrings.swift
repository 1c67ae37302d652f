/// What the settings say about sign-ins to apps.
struct AppSignInStrings: Sendable {
    let endApp: String
    let since: @Sendable (_ begun: String, _ used: String) -> String
    let permissionCount: @Sendable (_ count: Int) -> String
}

extension AppSignInStrings {
    static let english = AppSignInStrings(
        endApp: "Sign out of this app",
        since: { "signed in \($0), last used \($1)" },
        permissionCount: { $0 == 1 ? "1 permission" : "\($0) permissions" })

    static let german = AppSignInStrings(
        endApp: "Von dieser App abmelden",
        since: { "angemeldet \($0), zuletzt benutzt \($1)" },
        permissionCount: { $0 == 1 ? "1 Berechtigung" : "\($0) Berechtigungen" })
}
