internal import HTTPTypes
internal import KeyturnBase
internal import Model

/// The cookies of this server: the session's, one that marks the browser before a user signs in, and what a browser
/// remembers of a sign-in.
///
/// Over https both carry the `__Host-` prefix, which binds them to this host, the path `/` and TLS (RFC 6265bis
/// §4.1.3.2). Over plain http, which only a loopback address may use, a browser would not keep such a cookie.
struct Cookies: Sendable {
    private let prefix: String
    private let attributes: String
    /// The cookie that only the settings read: the prefix `__Host-` would demand the path `/`.
    let settingsWishName: String
    /// The cookie of a session that an app opened, which reaches the settings alone.
    private let appSessionName: String
    let settingsAttributes: String
    /// The cookie of a page that an app opened, which only the authorization endpoint reads.
    private let pagePassName: String
    private let pagePassAttributes: String

    init(issuer: String) {
        let isSecure = issuer.hasPrefix("https://")
        settingsWishName = isSecure ? "__Secure-keyturn-look" : "keyturn-look"
        appSessionName = isSecure ? "__Secure-keyturn-app-session" : "keyturn-app-session"
        settingsAttributes = "; Path=/settings; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
        pagePassName = isSecure ? "__Secure-keyturn-page" : "keyturn-page"
        pagePassAttributes = "; Path=\(Routes.authorize); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
        prefix = isSecure ? "__Host-keyturn" : "keyturn"
        attributes = "; Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    private var sessionName: String { "\(prefix)-session" }
    private var browserName: String { "\(prefix)-browser" }
    private var waitingName: String { "\(prefix)-waiting" }
    private var lastConnectionName: String { "\(prefix)-connection" }
    private var deviceName: String { "\(prefix)-device" }
    private var noPasskeyName: String { "\(prefix)-no-passkey" }
    /// Browsers keep cookies of 4 096 bytes, name and attributes included.
    private static let waitingBytesMax = 3_800

    /// The session cookie's value.
    func session(_ request: Request) -> Secret? {
        value(sessionName, request).map(Secret.init)
    }

    /// The value of the cookie of a session that an app opened.
    func appSession(_ request: Request) -> Secret? {
        value(appSessionName, request).map(Secret.init)
    }

    /// The pass of a page that an app opened.
    func pagePass(_ request: Request) -> String? { value(pagePassName, request) }

    /// Keeps a pass for its time.
    func setPagePass(_ pass: String) -> String {
        "\(pagePassName)=\(pass); Max-Age=\(Limits.preAuthenticatedCookieSeconds)\(pagePassAttributes)"
    }

    /// Removes the pass.
    func clearPagePass() -> String { "\(pagePassName)=; Max-Age=0\(pagePassAttributes)" }

    /// The mark of this browser.
    func browser(_ request: Request) -> String? {
        value(browserName, request).flatMap { (16...64).contains($0.utf8.count) ? $0 : nil }
    }

    /// The mark by which this browser is known as one on which users signed in.
    func device(_ request: Request) -> String? {
        value(deviceName, request).flatMap { (16...64).contains($0.utf8.count) ? $0 : nil }
    }

    /// Remembers it for ``Limits/pastSignInSeconds``. Set by a sign-in alone: visitors get none.
    func setDevice(_ mark: String) -> String {
        "\(deviceName)=\(mark); Max-Age=\(Limits.pastSignInSeconds)\(attributes)"
    }

    /// The digest of a browser's mark, by which sealed values name the browser.
    static func digest(of browser: String) -> String {
        Base64URL.encode(SecretDigest(of: Secret(browser)).bytes)
    }

    /// The sealed sign-in that waits in this browser until the user follows a link.
    func waiting(_ request: Request) -> String? {
        value(waitingName, request).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Stores the waiting sign-in; `nil` if it is too large for a cookie.
    func setWaiting(_ sealed: String) -> String? {
        guard sealed.utf8.count <= Self.waitingBytesMax else { return nil }
        return "\(waitingName)=\(sealed); Max-Age=\(Limits.proofSeconds)\(attributes)"
    }

    /// The connection that this browser signed in with last.
    func lastConnection(_ request: Request) -> String? { value(lastConnectionName, request) }

    /// Remembers the connection for a year, to show it first.
    func setLastConnection(_ id: String) -> String {
        "\(lastConnectionName)=\(id); Max-Age=31536000\(attributes)"
    }

    /// Whether a user of this browser declined a passkey lately.
    func wantsNoPasskey(_ request: Request) -> Bool {
        value(noPasskeyName, request) != nil
    }

    /// Remembers for ``Limits/passkeyOfferPauseSeconds`` that the user declined a passkey.
    func setNoPasskey() -> String {
        "\(noPasskeyName)=1; Max-Age=\(Limits.passkeyOfferPauseSeconds)\(attributes)"
    }

    func setSession(_ secret: Secret) -> String {
        "\(sessionName)=\(secret.exposed()); Max-Age=\(Limits.browserSessionSeconds)\(attributes)"
    }

    /// - Parameter opened: the session, whose cookie this is.
    func setSession(_ secret: Secret, of opened: BrowserSession) -> String {
        guard opened.openedBy != nil else { return setSession(secret) }
        return "\(appSessionName)=\(secret.exposed()); Max-Age=\(Limits.appPagesSeconds)\(settingsAttributes)"
    }

    func clearSession() -> String {
        "\(sessionName)=; Max-Age=0\(attributes)"
    }

    /// Removes the cookie of this session.
    func clearSession(of opened: BrowserSession) -> String {
        opened.openedBy == nil ? clearSession() : "\(appSessionName)=; Max-Age=0\(settingsAttributes)"
    }

    /// Lives as long as the browser's window, and protects forms alone.
    func setBrowser(_ mark: String) -> String {
        "\(browserName)=\(mark)\(attributes)"
    }

    /// The first cookie of that name: with the `__Host-` prefix there can be only one.
    func value(_ name: String, _ request: Request) -> String? {
        for header in request.headers[values: .cookie] {
            for pair in header.split(separator: ";") {
                let sides = pair.split(separator: "=", maxSplits: 1)
                guard sides.count == 2, sides[0].drop(while: { $0 == " " }) == name else { continue }
                return String(sides[1])
            }
        }
        return nil
    }
}
