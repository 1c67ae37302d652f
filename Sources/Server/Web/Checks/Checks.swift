internal import Hummingbird
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

    /// Another mark, with which nothing goes on that was begun in this browser.
    func newBrowser() -> String { services.ambient.randomToken(byteCount: 16) }
}
