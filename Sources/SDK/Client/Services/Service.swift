internal import KeyturnBase
public import KeyturnWire

/// Which backend a container talks to, and how its wire differs from plain OpenID Connect.
///
/// A value: services differ by data, not by subclass. Two containers of one name must use one service, because what
/// one stores the other sends.
public struct Service: Sendable {
    /// The family a service belongs to, as it is remembered beside a stored session. An open set.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A Keyturn server.
        public static let keyturn = Self(rawValue: "keyturn")
        /// Any OpenID provider.
        public static let openID = Self(rawValue: "openid")
        /// Descope.
        public static let descope = Self(rawValue: "descope")
        /// SnapAuth.
        public static let snapAuth = Self(rawValue: "snapauth")
        /// Box.
        public static let box = Self(rawValue: "box")
        /// Trifork Identity Manager.
        public static let tim = Self(rawValue: "tim")
        /// Authgear.
        public static let authgear = Self(rawValue: "authgear")
    }

    /// The family it belongs to.
    public let kind: Kind
    /// The provider's issuer identifier, exactly as its discovery document spells it. No trailing slash is added or
    /// removed: `https://id.example.com` and `https://id.example.com/` are two issuers (OpenID Connect Discovery §3).
    public let issuer: String
    /// The client's identifier at that provider.
    public let clientID: String
    /// The project whose users sign in by code, link, authenticator or password, without a page; `nil`: the service
    /// does not offer that, or was not told its project.
    public let projectID: String?
    /// How the client proves who it is; apps prove nothing, for they can keep no secret (RFC 8252 §8.5).
    public internal(set) var clientAuthentication: ClientAuthentication
    /// What a sign-in asks for when the caller names no scope. A provider that lists what it supports is not asked
    /// for anything else.
    public let defaultScope: Scope

    /// What is bound to a key on this device (RFC 9449).
    public let binding: Binding
    /// The key that selects the relying party for passkeys with tokens, see ``PasskeyMethods``; `nil`: they are not
    /// used. No secret.
    public private(set) var publishableKey: String? = nil
    /// The web origin that this app stands for, such as `https://example.com`, where neither a browser nor the system
    /// decides it; `nil`: the issuer's, or the relying party's.
    public private(set) var passkeyOrigin: String? = nil

    /// Where the keys of ``Keyturn/vault`` are; `nil`: the service has none. `/keyservice/v1/…` is asked for below it.
    public private(set) var keyServiceURL: String? = nil

    /// Whose users may sign in at a provider with many tenants; `nil`: ``issuer`` is one provider.
    public private(set) var tenants: Tenants? = nil
    /// Where the provider's discovery document lies, if not below ``issuer``.
    public private(set) var discoveryURL: String? = nil

    /// What another library left on this device, for a container to take over once; `nil`: nothing is. See
    /// ``importing(_:)``.
    public private(set) var legacySession: LegacySession? = nil
    /// Whether the app said so, and not the service.
    private(set) var choosesLegacySession = false

    /// The apps that sign in together with this one; `nil`: none does. See ``sharingSignIn(in:)``.
    var sharedSignIn: SharedSignIn? = nil
    /// Whether sign-ins ask for what pages of web applications are opened signed in with. See
    /// ``openingPagesSignedIn()``.
    var asksForPages = false

    let wire: Wire

    /// What is bound to a key on this device, if the service can do that (RFC 9449).
    public enum Binding: String, Hashable, Sendable {
        /// Nothing.
        case none
        /// The refresh token: a stolen copy is worth nothing, and it need not change with each use. Access tokens
        /// stay as they are, and go to any backend as `Bearer`.
        case refreshToken
        /// Access tokens too: every request carries a proof. ``Keyturn/fetch(_:)`` and ``AuthorizedTransport`` add
        /// it; backends must ask for it.
        case allTokens
    }

    /// The names by which a service knows what OpenID Connect has no parameter for, and the promises it makes.
    struct Wire: Sendable {
        /// The parameter that chooses the first page; `nil`: `signup` becomes `prompt=create`, `login` nothing.
        var pageParameter: String?
        /// The parameter by which a request asks for a flow; `nil`: flows run in views of apps alone.
        var journeyParameter: String?
        /// The parameter that chooses light or dark; `nil`: the wish is not sent.
        var colorSchemeParameter: String?
        /// Whether each callback carries `iss` even if the discovery document does not say so (RFC 9207 §2.4).
        var alwaysSendsIssuer: Bool
        /// The ID token's claim that says whether this person has anything to reauthenticate with: it is asked for with
        /// each sign-in (`claims`, OpenID Connect Core §5.5).
        var canReauthenticateClaim: String?
        /// Whether a code or a link is shown together with the session that may have asked for it: the service then knows
        /// that it is the same person.
        var takesSessionWithProof = false
        /// Whether the methods take the session of an authorization as well, if it is bound to this device.
        var takesAppSessions = false
        /// What differs at Authgear; `nil`: it is not Authgear.
        var authgear: AuthgearWire?
        /// Where its endpoints are, for one that publishes no discovery document and issues no ID tokens: plain OAuth 2.0.
        /// `nil`: it follows OpenID Connect.
        var endpoints: ServiceConfiguration?
        /// Whether a reauthentication is answered for the session that there is: an answer without a refresh token then leaves
        /// its tokens alone (Authgear). Elsewhere the new access token is what a step-up was for (RFC 9470 §5).
        var reauthenticatesSession = false
        /// Whether people change their own accounts on its pages, and an app may send them there.
        var hasSettings = false
        /// What they can change there at an app's request.
        var settingsActions: Set<SettingsAction> = []
        /// Parameters sent with every authorization request.
        var authorizationParameters: [(name: String, value: String)] = []
        /// Whether the first renewal of a session from the vault sends scope and parameters once more.
        var repeatsParametersWhenUnlocked = false
        /// Whether it has users without an account, who are known by a key of their device (Authgear's anonymous request).
        var hasAnonymousUsers = false
        /// Whether the key service knows whose its keys are, by the access tokens of the same server.
        var keysHaveOwners = false
    }

    /// A Keyturn server.
    ///
    /// - Parameters:
    ///   - issuer: Its issuer, such as `https://id.example.com`. Plain `http` only for loopback addresses.
    ///   - clientID: A public client registered there.
    ///   - projectID: The project for ``Keyturn/otp`` and its relatives; `nil`: none of them is used.
    ///   - clientSecret: Only for confidential clients.
    ///   - binding: What is bound to this device. Sessions of ``Keyturn/otp`` and its relatives never are.
    ///   - publishableKey: A relying party's, for ``Keyturn/passkeys`` with tokens; `nil`: they are not used.
    ///   - passkeyOrigin: The web origin that this app stands for; `nil`: the issuer's.
    public static func keyturn(
        issuer: String, clientID: String, projectID: String? = nil, clientSecret: String? = nil,
        binding: Binding = .refreshToken, publishableKey: String? = nil, passkeyOrigin: String? = nil
    ) -> Service {
        Service(
            kind: .keyturn, issuer: issuer, clientID: clientID, projectID: projectID,
            clientAuthentication: .secret(orNone: clientSecret), defaultScope: usualScope, binding: binding,
            publishableKey: publishableKey, passkeyOrigin: passkeyOrigin, keyServiceURL: issuer,
            wire: Wire(
                pageParameter: "x_page", journeyParameter: "journey", colorSchemeParameter: "x_color_scheme",
                alwaysSendsIssuer: true,
                canReauthenticateClaim: "https://authgear.com/claims/user/can_reauthenticate",
                takesSessionWithProof: true, takesAppSessions: true, reauthenticatesSession: true, hasSettings: true,
                settingsActions: [
                    .changePassword, .deleteAccount, .verifyEmail, .addEmail, .addPhone, .addUsername, .changeEmail,
                    .changePhone, .changeUsername, .linkOAuth, .unlinkOAuth, .setupTOTP, .removeTOTP,
                    .setupRecoveryCodes, .addPasskey, .removePasskey,
                ], hasAnonymousUsers: true, keysHaveOwners: true))
    }

    /// Any provider that follows OpenID Connect Core and publishes a discovery document.
    ///
    /// With `tenants` the document must name a template of issuers, with `{tenantid}` for the tenant, which `issuer`
    /// fits. The `iss` of each ID token must be the template filled with the token's own `tid`, which must be one of
    /// the tenants; a key that names an issuer must name that of the token. A `sub` is then unique in its tenant alone:
    /// users are told apart by ``IDToken/issuer`` and ``IDToken/subject`` together.
    ///
    /// ```swift
    /// let entra = Service.openID(
    ///     issuer: "https://login.microsoftonline.com/organizations/v2.0", clientID: id, tenants: .anyTenant)
    /// ```
    ///
    /// - Parameters:
    ///   - issuer: Its issuer, exactly as the provider spells it; of many tenants, with the provider's word for them,
    ///     such as `https://login.microsoftonline.com/common/v2.0`.
    ///   - clientID: A client registered there.
    ///   - clientSecret: Only for confidential clients; sent by HTTP Basic unless the provider takes it in the body
    ///     alone.
    ///   - binding: ``Binding/allTokens`` if the provider takes DPoP proofs and the backends ask for them.
    ///   - tenants: Whose users may sign in, at a provider with many tenants; `nil`: `issuer` is one provider.
    ///   - discoveryURL: The whole address of the discovery document, for a provider such as Azure AD B2C whose
    ///     document does not lie below its issuer; `nil`: where the standard has it.
    public static func openID(
        issuer: String, clientID: String, clientSecret: String? = nil, binding: Binding = .none,
        tenants: Tenants? = nil, discoveryURL: String? = nil
    ) -> Service {
        Service(
            kind: .openID, issuer: issuer, clientID: clientID, projectID: nil,
            clientAuthentication: .secret(orNone: clientSecret), defaultScope: usualScope, binding: binding,
            tenants: tenants, discoveryURL: discoveryURL, wire: Wire(alwaysSendsIssuer: false))
    }

    /// The same service, whose containers take over another library's session; in place of what ``legacySession`` says.
    ///
    /// Containers without a name take over what their service says. One with a name takes over only what the app says
    /// here: if there are several, say it for one of them. Those whose session is in memory alone take over nothing.
    ///
    /// - Parameter session: Which library's session; `nil`: none is taken over.
    public func importing(_ session: LegacySession?) -> Service {
        var service = self
        service.legacySession = session
        service.choosesLegacySession = true
        return service
    }

    static let usualScope = Scope(names: [Scope.openID, "profile", "email", Scope.offlineAccess])
}
