internal import KeyturnWire

extension Service {
    /// The same Keyturn service, whose sign-ins also ask for what
    /// ``Keyturn/preAuthenticatedURL(opening:as:state:)`` needs: the scopes `device_sso` and
    /// `https://authgear.com/scopes/pre-authenticated-url`, which the client must have registered.
    ///
    /// No effect at other services; Authgear has a parameter of its own.
    public func openingPagesSignedIn() -> Service {
        var service = self
        service.asksForPages = kind == .keyturn
        return service
    }

    /// Whether pages of web applications can be opened signed in.
    var opensPagesSignedIn: Bool { wire.authgear?.isPreAuthenticatedURLEnabled == true || asksForPages }

    /// What sign-ins ask for beside their scope, in this order.
    var sharedScopes: [String] {
        let secret = sharedSignIn != nil || asksForPages ? [Scope.deviceSSO] : []
        return asksForPages ? secret + [AuthgearNames.preAuthenticatedURL] : secret
    }
}
