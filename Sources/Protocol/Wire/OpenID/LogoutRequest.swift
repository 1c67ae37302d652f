/// A client's request to end the browser's session (OpenID Connect RP-Initiated Logout §2). Nothing is verified.
public struct LogoutRequest: Hashable, Sendable {
    /// `id_token_hint`: an ID token of the session that ends.
    public var idTokenHint: String?
    /// `logout_hint`: whose session ends.
    public var logoutHint: String?
    /// `client_id`.
    public var clientID: String?
    /// `post_logout_redirect_uri`: where to go afterwards, one that the client registered.
    public var postLogoutRedirectURI: String?
    /// `state`: handed back with the redirect.
    public var state: String?
    /// `ui_locales`: languages of the page, as BCP 47 tags, the preferred one first.
    public var uiLocales: String?

    /// A request without any parameter.
    public init() {}

    /// Reads a query or a form.
    ///
    /// - Throws: ``FormProblem/repeated(_:)`` for a parameter sent twice.
    public init(_ form: FormParameters) throws(FormProblem) {
        idTokenHint = try form.one("id_token_hint")
        logoutHint = try form.one("logout_hint")
        clientID = try form.one("client_id")
        postLogoutRedirectURI = try form.one("post_logout_redirect_uri")
        state = try form.one("state")
        uiLocales = try form.one("ui_locales")
    }

    /// The parameters to send.
    public var parameters: FormParameters {
        FormParameters([
            "id_token_hint": idTokenHint, "logout_hint": logoutHint, "client_id": clientID,
            "post_logout_redirect_uri": postLogoutRedirectURI, "state": state, "ui_locales": uiLocales,
        ])
    }
}

/// The event that a logout token reports (OpenID Connect Back-Channel Logout §2.4).
public enum LogoutEvent {
    /// The member of `events` in a logout token (OpenID Connect Back-Channel Logout §2.4).
    public static let backchannel = "http://schemas.openid.net/event/backchannel-logout"
}
