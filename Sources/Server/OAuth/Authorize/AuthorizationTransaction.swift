internal import Foundation
public import KeyturnBase
public import KeyturnWire
public import Model

/// A checked authorization request, on its way to a code.
///
/// It travels sealed through the browser: no row exists before the end. It holds everything that a page needs.
public struct AuthorizationTransaction: Codable, Hashable, Sendable {
    public let clientID: String
    /// The redirect URI: sent and registered, or the only one registered.
    public let redirectURI: String
    /// Whether the request had it; only then must the code's redemption name it too (RFC 6749 §4.1.3).
    public let redirectURIWasSent: Bool
    public let responseMode: String
    public let scope: [String]
    public let resources: [String]
    public let state: String?
    public let nonce: String?
    public let codeChallenge: String?
    /// The key that the code will be redeemed with, if the request named one.
    public let keyThumbprint: String?
    public internal(set) var prompts: [String]
    /// In seconds.
    public let maxAge: Int64?
    /// The subject that the request requires, by `id_token_hint` or `claims`.
    public let requiredSubject: String?
    public internal(set) var loginHint: String?
    public let uiLocales: String?
    /// `light` or `dark`, if the app asked for one.
    public let colorScheme: String?
    /// The part of the `claims` parameter that the client may ask for; `nil`: none.
    public let claims: String?
    /// The requested details, as JSON (RFC 9396); `nil`: none.
    var authorizationDetails: String?
    /// Whether the app requires two factors; `nil`: no.
    var wantsSeveralFactors: Bool?
    /// The classes of which the sign-in must have one; `nil`: any.
    var essentialClasses: [String]?
    /// The settings action that the app asks for; `nil`: a sign-in.
    var settings: String?
    /// The login identifier that the action replaces, as the app sent it; `nil`: it replaces none.
    public internal(set) var replacedLoginID: String?
    /// The provider that the action links or unlinks; `nil`: it is about none.
    public internal(set) var providerAlias: String?
    /// Whether an ID token names the required user: its holder knows something of them. `nil`: no.
    var isHinted: Bool?
    /// The session that the hint names, if any.
    var hintedSession: String?
    /// When the user signed in to it, as the hint says.
    var hintedTime: UnixTime?
    /// The realm whose address the request came to; `nil`: none.
    var realm: String?
    public let startedAt: UnixTime
    /// The browser session that was opened in this transaction, if any.
    public var authenticatedSession: String?
    /// Whether that session was opened without any page of this server: the request led straight to a provider. `nil`: no.
    package var isUnseen: Bool?
    /// The claims that the consent page has shown by name: the operator may list more before the user agrees.
    public var shownClaims: Set<String>?
    /// The page of this server that a sign-in without an app leads to; `nil`: a client waits for a code.
    public var ownPath: String?
    /// The connection that the app asks for; `nil`: the user chooses.
    package var askedConnection: String?
    /// The handle of an identity at a provider that is linked to the user who signs in; `nil`: none.
    package var pendingIdentity: String?
    /// The connection of that identity.
    package var pendingConnection: String?
    /// The journey that the sign-in takes; `nil`: the built-in one.
    public internal(set) var journey: String?
    /// The `acr` of sign-ins that it completed; `nil`: that of the methods used.
    var journeyClass: String?
    /// What the app said for the journey; `nil`: nothing.
    public internal(set) var journeyInputs: JourneyInputs?
    /// What the user typed at a step that only asks who signs in; `nil`: there was none yet.
    public var typedLoginID: String?
    /// The tenant that the user chose in the journey; `nil`: none.
    public var journeyTenant: String?
    /// The user whose account was made in this sign-in; `nil`: none was.
    public var madeUser: String?
    /// The anonymous user who gets an account; `nil`: none.
    var promotion: RequestedPromotion?
    /// The flow that an app runs in its own web view; `nil`: the pages are a browser's.
    public internal(set) var flow: AppFlow?
    /// What is used up at its end; `nil`: nothing.
    var ticket: TransactionTicket?

    public func asks(_ prompt: Prompt) -> Bool {
        prompts.contains(prompt.rawValue)
    }

    /// Whether the app requires two factors.
    public var needsSeveralFactors: Bool { wantsSeveralFactors == true }

    /// Tells the request from others of its app.
    package var identity: String { [state, nonce, codeChallenge].map { $0 ?? "" }.joined(separator: " ") }

    public var requestedScope: Scope { Scope(names: scope) }

    /// The settings action that the app asks for; `nil`: a sign-in.
    public var settingsAction: SettingsAction? { settings.map(SettingsAction.init(rawValue:)) }

    /// The requested details; `nil`: none.
    public var requestedDetails: AuthorizationDetails? {
        authorizationDetails.flatMap { AuthorizationDetails(parsing: $0, bytesMax: Limits.detailsBytesMax) }
    }

    /// Whether a sign-in has an acceptable class.
    func accepts(_ authentication: AuthenticationFacts) -> Bool {
        guard let essentialClasses else { return true }
        return essentialClasses.contains(journeyClass ?? authentication.contextClass)
    }

    /// Whether it has taken too long.
    public func isExpired(at now: UnixTime) -> Bool {
        now >= startedAt + Limits.transactionSeconds
    }

    /// Whether the user must (still) sign in before this transaction can continue.
    public func needsSignIn(_ session: BrowserSession?) -> Bool {
        guard let session else { return true }
        if let requiredSubject, session.userID.rawValue != requiredSubject { return true }
        if needsSeveralFactors, lacksFactor(session.authentication) { return true }
        if authenticatedSession == session.id.rawValue { return false }
        if !accepts(session.authentication) { return true }
        if asks(.login) || asks(.selectAccount) || asks(.create) { return true }
        guard let maxAge else { return false }
        return session.authentication.time + maxAge < startedAt
    }

    /// Whether several factors were not used. Pages of this server take no provider's word for them.
    private func lacksFactor(_ facts: AuthenticationFacts) -> Bool {
        if ownPath != nil, facts.isOfProvider { return true }
        return !facts.methods.contains(AuthenticationMethod.severalFactors)
    }

    /// Whether an answer would go to a program that nothing shows, without anything that the user did for it (RFC 8252
    /// §8.6): the browser was signed in before, or a provider answered for the user at a request that led straight there.
    func isUnattended(_ session: BrowserSession, _ client: Client) -> Bool {
        guard ownPath == nil, client.isUnproven(at: redirectURI) else { return false }
        return authenticatedSession != session.id.rawValue || isUnseen == true
    }

    func answer(_ outcome: AuthorizationResponse.Outcome, issuer: String) -> AuthorizationAnswer {
        AuthorizationAnswer(
            redirectURI: redirectURI, mode: ResponseMode(rawValue: responseMode) ?? .query,
            response: AuthorizationResponse(
                outcome: outcome, state: state, issuer: Project.issuer(ofRealm: realm, below: issuer)),
            ownPath: ownPath(after: outcome))
    }

    private func ownPath(after outcome: AuthorizationResponse.Outcome) -> String? {
        // A flow has its own page for users who cancel.
        guard ownPath != nil, flow == nil, case .refused = outcome else { return ownPath }
        // That page would ask again what was just declined.
        return "/"
    }
}

/// The end of a transaction: the response to the client, its address, and its response mode.
public struct AuthorizationAnswer: Hashable, Sendable {
    public let redirectURI: String
    public let mode: ResponseMode
    public let response: AuthorizationResponse
    /// A page of this server, where no client waits for the response.
    public var ownPath: String?
    /// The client, if it registered itself and this is an error: any link could otherwise redirect through this server
    /// to the client's address (RFC 9700 §4.11.2). See ``AuthorizationEndpoint/released(_:for:)``.
    public var heldClientID: String?

    /// Whether a page shows the error, instead of a redirect.
    public var isHeld: Bool { heldClientID != nil }

    /// The address to send the browser to, for `query` and `fragment`.
    public var location: String {
        if let ownPath { return ownPath }
        let parameters = response.parameters.encoded
        if mode == .fragment { return "\(redirectURI)#\(parameters)" }
        let separator =
            !redirectURI.contains("?") ? "?" : redirectURI.hasSuffix("?") || redirectURI.hasSuffix("&") ? "" : "&"
        return redirectURI + separator + parameters
    }
}

/// Seals transactions into the browser's state, and opens them again.
public struct TransactionSeal: Sendable {
    private let seal: Seal

    public init(_ secrets: ServerSecrets, ambient: Ambient) {
        seal = Seal(secrets, purpose: .transaction, ambient: ambient)
    }

    /// The sealed text of a value that a page must send back; `kind` keeps different uses apart.
    public func close(_ value: some Encodable, kind: String) -> String {
        guard let json = try? JSONEncoder().encode(value) else {
            preconditionFailure("a transaction is plain data and always encodes")
        }
        return Base64URL.encode(seal.seal(Array(json), context: Array(kind.utf8)))
    }

    /// The sealed value; `nil` if it was changed, or sealed by removed secrets.
    public func open<Value: Decodable>(_ text: String, as type: Value.Type, kind: String) -> Value? {
        guard text.utf8.count <= Limits.formBytesMax, let sealed = Base64URL.decode(text),
            let json = seal.open(sealed, context: Array(kind.utf8))
        else { return nil }
        return try? JSONDecoder().decode(type, from: Data(json))
    }
}
