/// One thing that a check demands of a request, and what is answered where it is not there.
///
/// A demand is declared beside the check that makes it. A test walks the route table, leaves out what is demanded or sends
/// something else, and wants to see what is declared here.
struct Demand: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        /// The client proves who it is, in the way it registered.
        case client
        /// The same where a client may also not be named.
        case namedClient = "named client"
        /// A client that can authenticate, and does.
        case confidentialClient = "confidential client"
        /// An access token of ours.
        case accessToken = "access token"
        /// The same where none may be shown as well.
        case shownAccessToken = "shown access token"
        /// An authorization request on its way, sealed by this server.
        case journey
        /// A sign-in on its way, sealed for this browser.
        case passage
        /// A sign-out on its way, sealed by this server.
        case logout
        /// A device that asked to be let in, sealed for this browser.
        case device
        /// A form from a page of ours, in this browser, for this session.
        case sameSite = "same-site form"
        /// A session of this browser.
        case session
        /// A sign-in within the last minutes.
        case recentSignIn = "recent sign-in"
        /// This machine, or a management key.
        case `operator`
        /// The bearer names this project.
        case project
        /// The refresh JWT of a session that lives.
        case refreshToken = "refresh token"
        /// An access key that is good.
        case accessKey = "access key"
        /// One of the project's management keys.
        case managementKey = "management key"
        /// The key of a relying party's pages and apps, from one of its origins if a browser asks.
        case publishableKey = "publishable key"
        /// The key of a relying party's backends.
        case secretKey = "secret key"
        /// What the operator gives those who may register clients, if the operator gave any.
        case initialAccessToken = "initial access token"
        /// What a client that registered itself got for its own entry.
        case registrationToken = "registration token"
    }

    /// In which way a request does not have what is demanded.
    enum Flaw: String, Sendable, CaseIterable {
        /// There is none.
        case missing
        /// There is one that this server never made.
        case wrong
        /// There is one that belongs to somebody or something else.
        case foreign
    }

    /// What is answered.
    enum Refusal: Equatable, Sendable {
        /// JSON with an error code in it; `nil`: there is no body.
        case error(Int, String?)
        /// An error page with this text on it.
        case page(Int, String)
        /// Plain text.
        case text(Int, String)
        /// On to an address; one that ends with `=` goes on.
        case redirect(String)
        /// Nothing: the handler runs, and knows that it is not there.
        case admitted
    }

    let kind: Kind
    let refusals: [Flaw: Refusal]

    /// The same refusal for every flaw but those that are named.
    init(_ kind: Kind, _ refusal: Refusal, but others: [Flaw: Refusal] = [:]) {
        self.kind = kind
        var refusals = others
        for flaw in Flaw.allCases where refusals[flaw] == nil { refusals[flaw] = refusal }
        self.refusals = refusals
    }
}
