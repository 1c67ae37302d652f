internal import Authority
/// One thing that a check demands of a request, and the answer if it is missing.
///
/// A demand is declared beside the check that makes it. A test walks the route table, leaves out each demanded thing or
/// sends a wrong one, and expects the answer that is declared here.
struct Demand: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        /// The client authenticates, in the way it registered.
        case client
        /// The client authenticates, if the request names one.
        case namedClient = "named client"
        /// A client that can authenticate, and does.
        case confidentialClient = "confidential client"
        /// An access token of this server.
        case accessToken = "access token"
        /// An access token, if the request shows one.
        case shownAccessToken = "shown access token"
        /// An authorization transaction, sealed by this server.
        case transaction
        /// A sign-in transaction, sealed for this browser.
        case signInTransaction = "sign-in transaction"
        /// A sign-out transaction, sealed by this server.
        case logout
        /// A device that asked to be let in, sealed for this browser.
        case device
        /// A form from a page of this server, in this browser, for this session.
        case sameSite = "same-site form"
        /// A session of this browser.
        case session
        /// A sign-in within the last minutes.
        case recentSignIn = "recent sign-in"
        /// A second factor or a passkey, within the last hours.
        case severalFactors = "several factors"
        /// A role in the console.
        case consoleRole = "console role"
        /// This machine itself, and no page of another site.
        case thisMachine = "this machine"
        /// This machine, or a management key.
        case `operator`
        /// The bearer names this project.
        case project
        /// The refresh JWT of a live session.
        case refreshToken = "refresh token"
        /// A valid access key.
        case accessKey = "access key"
        /// A token of a tenant's provisioning client.
        case provisioningToken = "provisioning token"
        /// One of the project's management keys.
        case managementKey = "management key"
        /// One of the project's management keys, or an operator's access token.
        case managementCaller = "management key or operator"
        /// An access token of a client that may have streams of security events.
        case signalReceiver = "receiver of signals"
        /// The key of a relying party's pages and apps, with one of its origins if the client is a browser.
        case publishableKey = "publishable key"
        /// The key of a relying party's backends.
        case secretKey = "secret key"
        /// The token that the operator gives clients that may register, if it gives any.
        case initialAccessToken = "initial access token"
        /// The token that a client got for its own entry when it registered itself.
        case registrationToken = "registration token"
    }

    /// What is wrong with a request that lacks a demanded thing.
    enum Flaw: String, Sendable, CaseIterable {
        /// The request has none.
        case missing
        /// The request has one that this server never made.
        case wrong
        /// The request has one that belongs to another user, client or transaction.
        case foreign
    }

    /// The answer.
    enum Refusal: Equatable, Sendable {
        /// JSON with an error code in it; `nil`: there is no body.
        case error(Int, String?)
        /// An error page with this text on it.
        case page(Int, String)
        /// Plain text.
        case text(Int, String)
        /// A redirect; an address that ends with `=` is a prefix.
        case redirect(String)
        /// No refusal: the handler runs without the value.
        case admitted
    }

    let kind: Kind
    let refusals: [Flaw: Refusal]

    /// The same refusal for every flaw except the named ones.
    init(_ kind: Kind, _ refusal: Refusal, but others: [Flaw: Refusal] = [:]) {
        self.kind = kind
        var refusals = others
        for flaw in Flaw.allCases where refusals[flaw] == nil { refusals[flaw] = refusal }
        self.refusals = refusals
    }
}
