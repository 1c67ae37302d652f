internal import Foundation
public import KeyturnBase
public import KeyturnWire
public import Model

/// An authorization request that was found to be in order, on its way to a code.
///
/// It travels sealed through the browser: no row exists before the end. Whatever a page needs to go on is in here.
public struct AuthorizationTransaction: Codable, Hashable, Sendable {
    public let clientID: String
    /// Where the answer goes: sent and registered, or the only one registered.
    public let redirectURI: String
    /// Whether the request named it; only then must the code's redemption name it too (RFC 6749 §4.1.3).
    public let redirectURIWasSent: Bool
    public let responseMode: String
    public let scope: [String]
    public let resources: [String]
    public let state: String?
    public let nonce: String?
    public let codeChallenge: String?
    /// The key that the code will be redeemed with, if the request named one.
    public let keyThumbprint: String?
    public let prompts: [String]
    /// Seconds.
    public let maxAge: Int64?
    /// The subject that the request insists on, by `id_token_hint` or `claims`.
    public let requiredSubject: String?
    public let loginHint: String?
    public let uiLocales: String?
    /// `light` or `dark`, if the app asked for one.
    public let colorScheme: String?
    public let claims: String?
    /// What is wanted in detail, as JSON (RFC 9396); `nil`: nothing.
    var authorizationDetails: String?
    /// Whether the app wants two factors; `nil`: no.
    var wantsSeveralFactors: Bool?
    /// The classes of which the sign-in must be one; `nil`: of any.
    var essentialClasses: [String]?
    /// What the app sends the person to change; `nil`: they sign in.
    var settings: String?
    /// Whether an ID token says who is required: its holder knows something of them. `nil`: no.
    var isHinted: Bool?
    /// The session that it speaks of, if it names one.
    var hintedSession: String?
    /// The realm whose address the request came to; `nil`: none.
    var realm: String?
    public let startedAt: UnixTime
    /// The browser session that was opened on this journey, if one was.
    public var authenticatedSession: String?
    /// The page of this server that a sign-in leads to which no app asked for; `nil`: a client waits for a code.
    public var ownPath: String?
    /// What ends with it; `nil`: nothing.
    var ticket: TransactionTicket?

    public func asks(_ prompt: Prompt) -> Bool {
        prompts.contains(prompt.rawValue)
    }

    /// Whether the app wants two factors.
    public var needsSeveralFactors: Bool { wantsSeveralFactors == true }

    public var requestedScope: Scope { Scope(names: scope) }

    /// What the app sends the person to change; `nil`: they sign in.
    public var settingsAction: SettingsAction? { settings.map(SettingsAction.init(rawValue:)) }

    /// What is wanted in detail; `nil`: nothing.
    public var requestedDetails: AuthorizationDetails? {
        authorizationDetails.flatMap { AuthorizationDetails(parsing: $0, bytesMax: Limits.detailsBytesMax) }
    }

    /// Whether a sign-in is of a class that would do.
    func accepts(_ authentication: AuthenticationFacts) -> Bool {
        essentialClasses?.contains(authentication.contextClass) ?? true
    }

    /// Whether it has taken too long.
    public func isExpired(at now: UnixTime) -> Bool {
        now >= startedAt + Limits.journeySeconds
    }

    /// Whether the person must (still) sign in before this journey can go on.
    public func needsSignIn(_ session: BrowserSession?) -> Bool {
        guard let session else { return true }
        if let requiredSubject, session.userID.rawValue != requiredSubject { return true }
        if needsSeveralFactors, !session.authentication.methods.contains(AuthenticationMethod.severalFactors) {
            return true
        }
        if authenticatedSession == session.id.rawValue { return false }
        if !accepts(session.authentication) { return true }
        if asks(.login) || asks(.selectAccount) || asks(.create) { return true }
        guard let maxAge else { return false }
        return session.authentication.time + maxAge < startedAt
    }

    func answer(_ outcome: AuthorizationResponse.Outcome, issuer: String) -> AuthorizationAnswer {
        AuthorizationAnswer(
            redirectURI: redirectURI, mode: ResponseMode(rawValue: responseMode) ?? .query,
            response: AuthorizationResponse(
                outcome: outcome, state: state, issuer: Project.issuer(ofRealm: realm, below: issuer)),
            ownPath: ownPath(after: outcome))
    }

    private func ownPath(after outcome: AuthorizationResponse.Outcome) -> String? {
        guard ownPath != nil, case .refused = outcome else { return ownPath }
        // Back to that page would be back to the question that was just declined.
        return "/"
    }
}

/// The end of a journey: what is sent to the client, where, and how.
public struct AuthorizationAnswer: Hashable, Sendable {
    public let redirectURI: String
    public let mode: ResponseMode
    public let response: AuthorizationResponse
    /// A page of this server, where no client waits for the response.
    public var ownPath: String?
    /// The client, if it registered itself and this is an error: a link from anywhere would otherwise lead through this
    /// server to its address (RFC 9700 §4.11.2). See ``AuthorizationEndpoint/released(_:for:)``.
    public var heldClientID: String?

    /// Whether a page shows the error, and the browser is not redirected.
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

/// Seals journeys into the browser's state, and opens them again.
public struct TransactionSeal: Sendable {
    private let seal: Seal

    public init(_ secrets: ServerSecrets, ambient: Ambient) {
        seal = Seal(secrets, purpose: .journey, ambient: ambient)
    }

    /// The sealed text of anything that a page must bring back; `kind` keeps different things apart.
    public func close(_ value: some Encodable, kind: String) -> String {
        guard let json = try? JSONEncoder().encode(value) else {
            preconditionFailure("a journey is plain data and always encodes")
        }
        return Base64URL.encode(seal.seal(Array(json), context: Array(kind.utf8)))
    }

    /// What was sealed; `nil` if it was changed, or sealed by secrets that are gone.
    public func open<Value: Decodable>(_ text: String, as type: Value.Type, kind: String) -> Value? {
        guard text.utf8.count <= Limits.formBytesMax, let sealed = Base64URL.decode(text),
            let json = seal.open(sealed, context: Array(kind.utf8))
        else { return nil }
        return try? JSONDecoder().decode(type, from: Data(json))
    }
}
