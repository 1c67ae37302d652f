internal import Hummingbird
internal import Identity
internal import KeyturnBase

/// Makes what handlers take, out of the credentials of requests: one file for each kind of credential.
///
/// No other folder reads an `Authorization` or a `Cookie` header.
struct Checks: Sendable {
    let services: IdentityServices
    let cookies: Cookies
    let guardian: CrossSiteGuard
    let addresses: ClientAddress
    /// Open the management interface, and `/metrics` for other machines.
    let managementKeys: [Secret]

    /// The mark of the browser, or one that it has yet to get.
    func browser(_ request: Request) -> String {
        cookies.browser(request) ?? services.ambient.randomToken(byteCount: 16)
    }
}
