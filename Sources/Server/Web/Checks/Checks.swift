internal import Identity
internal import KeyturnBase

/// Makes the values that handlers take out of the credentials of requests: one file for each kind of credential.
///
/// No other folder reads an `Authorization` or a `Cookie` header.
struct Checks: Sendable {
    let services: IdentityServices
    let cookies: Cookies
    let guardian: CrossSiteGuard
    let addresses: ClientAddress
    /// Keys that open the management interface, and `/metrics` for other machines.
    let managementKeys: [Secret]

    /// The mark of the browser, or a new one.
    func browser(_ request: Request) -> String {
        cookies.browser(request) ?? newBrowser()
    }

    private func newBrowser() -> String { services.ambient.randomToken(byteCount: 16) }

    /// The fields of a browser that is signed out: no session, and another mark. A page of a finished sign-in may still be
    /// open, and its form must not open a session again.
    var signedOutCookies: [String] { [cookies.clearSession(), cookies.setBrowser(newBrowser())] }
}
