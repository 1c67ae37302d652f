public import KeyturnBase

/// A flow: the steps of a sign-in that an operator defined at the service, such as a journey of a Keyturn server.
public struct Flow: Hashable, Sendable {
    /// As the service knows it; `nil`: the flow is known by its page.
    public let name: String?
    /// The page of a flow that is hosted elsewhere; `nil`: the service hosts it.
    public let url: String?

    /// A flow that the service hosts.
    public init(_ name: String) {
        self.name = name
        url = nil
    }

    /// A flow on a page of its own, with a `descope-wc` element. Shown in a view of the app only.
    public init(url: String) {
        name = nil
        self.url = url
    }
}

/// How a flow in the system's browser is begun.
public struct FlowOptions: Sendable {
    /// Where the browser returns to; see ``SignInOptions/redirectURI``.
    public var redirectURI: String
    /// Languages of the pages, best first, as BCP 47 tags.
    public var uiLocales: [String] = []
    /// Light or dark pages; `nil`: as the user's system prefers.
    public var colorScheme: SignInOptions.ColorScheme?
    /// Who is probably going to sign in.
    public var loginHint: String?
    /// What the flow may read: texts, numbers and booleans, at most 1 024 bytes as JSON. Nothing in it is verified: the
    /// user can change it.
    public var clientInputs: [String: JSONValue] = [:]

    /// Asks for what the service gives by default.
    public init(redirectURI: String) {
        self.redirectURI = redirectURI
    }
}

/// How a flow in a view of the app is begun.
public struct EmbeddedFlowOptions: Sendable {
    /// Languages of the pages, best first, as BCP 47 tags. A service without such a choice shows what it always does.
    public var uiLocales: [String] = []
    /// Light or dark pages; `nil`: as the user's system prefers.
    public var colorScheme: SignInOptions.ColorScheme?
    /// What the flow may read: texts, numbers and booleans, as JSON at most 4 096 bytes at Descope and 1 024 at a
    /// Keyturn server. Nothing in it is verified: the user can change it.
    public var clientInputs: [String: JSONValue] = [:]
    /// The provider that the system's own sheet signs in with; `nil`: all are shown in the browser.
    public var nativeProvider: SocialProvider?
    /// Where the app's magic links lead, if elsewhere than to the service.
    public var magicLinkURL: String?

    /// Asks for what the service gives by default.
    public init() {}
}

extension AuthError.Code {
    /// A flow ended without a session, for a reason that is not the user's.
    public static let flowFailed = Self(rawValue: "sign_in.flow_failed")
}
