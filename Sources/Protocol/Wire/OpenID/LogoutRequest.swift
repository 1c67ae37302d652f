/// A client's request to end the browser's session (OpenID Connect RP-Initiated Logout §2). Nothing is verified.
public struct LogoutRequest: Hashable, Sendable {
    public var idTokenHint: String?
    public var logoutHint: String?
    public var clientID: String?
    public var postLogoutRedirectURI: String?
    public var state: String?
    public var uiLocales: String?

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
    public static let backchannel = "http://schemas.openid.net/event/backchannel-logout"
}
