public import KeyturnWire

/// What to ask for when sending a person to the sign-in page.
///
/// Every member but the redirect URI may stay as it is. State, nonce, PKCE and the check of `iss` are not options:
/// each sign-in has all four.
public struct SignInOptions: Sendable {
    /// Where the browser returns to, as registered at the service.
    ///
    /// With the browser of a Linux or macOS desktop: a loopback address such as `http://127.0.0.1/callback`, whose
    /// port is chosen at run time when it is missing or 0 (RFC 8252 §7.3).
    public var redirectURI: String
    /// What the page must or must not do (OpenID Connect Core §3.1.2.1). Empty: the service decides.
    public var prompt: [Prompt] = []
    /// Anything the app wants back in ``SignInResult/state``. It never leaves the machine.
    public var state: String?
    /// Languages of the pages, best first, as BCP 47 tags.
    public var uiLocales: [String] = []
    /// The page to begin with; a service without such a choice begins as it always does.
    public var page: Page?
    /// Light or dark pages; a service without such a choice shows what it always does.
    public var colorScheme: ColorScheme?
    /// Who is probably going to sign in: an address or a number to fill in.
    public var loginHint: String?
    /// Oldest acceptable sign-in, in seconds. An older one is asked for again, and a newer ID token is demanded.
    public var maxAgeSeconds: Int64?
    /// Acceptable strengths of authentication, best first (`acr_values`).
    public var acrValues: [String] = []
    /// Where the access token is to be used (RFC 8707 §2).
    public var resource: [String] = []
    /// What to ask for; `nil`: the service's ``Service/defaultScope``. Must contain `openid`,
    /// except at a service without ID tokens.
    public var scope: Scope?
    /// Further parameters of the authorization request, such as `["access_type": "offline"]`, without which Google
    /// issues no refresh token. A name that this library sends by itself is refused.
    public var extra: [String: String] = [:]

    /// Asks for what the service gives by default.
    public init(redirectURI: String) {
        self.redirectURI = redirectURI
    }

    /// The page a sign-in begins with. An open set.
    public struct Page: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// For a user who has an account.
        public static let login = Self(rawValue: "login")
        /// For a new user.
        public static let signup = Self(rawValue: "signup")
    }

    /// The look of the pages.
    public enum ColorScheme: String, Hashable, Sendable {
        /// Light or dark, whatever the user's system prefers.
        case light, dark
    }
}

/// A finished sign-in.
public struct SignInResult: Sendable {
    /// The verified statement of who signed in, and how; `nil` from a service that issues none, such as
    /// `Service.box(…)`: then ``userInfo`` says who.
    public let idToken: IDToken?
    /// What the service tells about the person: the answer of the userinfo endpoint, or the ID token's claims if
    /// that endpoint does not exist, could not be reached or gave nothing acceptable. ``UserInfo/source`` says which,
    /// and a ``KeyturnLogger`` is told why.
    public let userInfo: UserInfo
    /// What the app passed in ``SignInOptions/state``.
    public let state: String?
    /// What was granted, which may be less than what was asked for (RFC 6749 §5.1).
    public let scope: Scope
}
