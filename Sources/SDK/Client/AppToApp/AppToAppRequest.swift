internal import KeyturnBase
internal import KeyturnWire

/// What another app of the vendor asks for: that its user is signed in there as here.
///
/// It came by a link that any app may open: nothing in it is verified. The server checks that the client belongs to the
/// same operator, and that the redirect address is registered for it.
public struct AppToAppRequest: Hashable, Sendable {
    /// The app that asks.
    public let clientID: String
    /// Where the answer goes.
    public let redirectURI: String
    let codeChallenge: String
    let state: String?

    /// Reads a link; `nil` if it is none to this app's endpoint, or lacks what a request has.
    ///
    /// - Parameters:
    ///   - url: The link that opened this app.
    ///   - authorizationEndpoint: The address of this app for such links, a universal link without a query.
    public init?(url: String, authorizationEndpoint: String) {
        guard url.utf8.count <= Limits.callbackMaxBytes, let (base, query) = URLText.split(url),
            base == authorizationEndpoint, let form = try? FormParameters(parsing: query),
            form.firstRepeated(except: []) == nil,
            let clientID = form.values("client_id").first, !clientID.isEmpty,
            let redirectURI = form.values("redirect_uri").first, URIParts(redirectURI) != nil,
            form.values("code_challenge_method").first == PKCE.method,
            let challenge = form.values("code_challenge").first, challenge.utf8.count == 43
        else { return nil }
        self.clientID = clientID
        self.redirectURI = redirectURI
        codeChallenge = challenge
        state = form.values("state").first
    }

    /// The address of an answer.
    func answer(_ parameters: KeyValuePairs<String, String>) -> String {
        var form = FormParameters()
        for (name, value) in parameters { form.append(name, value) }
        form.append("state", state)
        return URLText.adding(form, to: redirectURI)
    }
}
