package import Authority
public import KeyturnBase

/// How and when a user was authenticated.
public struct AuthenticationFacts: Hashable, Sendable {
    /// When the user was authenticated: the `auth_time` claim.
    public var time: UnixTime
    /// The methods used, in the words of RFC 8176: the `amr` claim.
    public var methods: [String]
    /// The resulting class: the `acr` claim.
    public var contextClass: String
    /// The tenant whose connection vouched for the user; `nil`: none did. Told to no client.
    public var tenantID: String?
    /// What was unusual about the verification; empty for those of earlier requests.
    public var signals: Set<RiskSignal> = []

    public init(time: UnixTime, methods: [String], contextClass: String, tenantID: String? = nil) {
        self.time = time
        self.methods = methods
        self.contextClass = contextClass
        self.tenantID = tenantID
    }

    /// A password alone.
    public static func password(at time: UnixTime) -> AuthenticationFacts {
        AuthenticationFacts(time: time, methods: ["pwd"], contextClass: passwordClass)
    }

    /// The `acr` of a sign-in with a password alone.
    public static let passwordClass = "urn:keyturn:acr:password"

    /// The `acr` of a sign-in with two different factors.
    public static let severalFactorsClass = "urn:keyturn:acr:mfa"
    /// The `acr` of a sign-in with one factor that is no password.
    public static let singleFactorClass = "urn:keyturn:acr:single"

    /// The `acr` of an anonymous user's session: nothing is known of who they are (OpenID Connect Core §2).
    public static let anonymousClass = "0"

    /// Every class that a sign-in at this server can have.
    public static let classes = [passwordClass, singleFactorClass, severalFactorsClass]
}

extension AuthenticationFacts {
    /// The same facts in the words of RFC 8176, each once.
    public var inReferences: AuthenticationFacts { inWords { $0.reference } }

    /// The same facts in the words of the methods' tokens, each once.
    public var inClaims: AuthenticationFacts { inWords { $0.claimWord } }

    private func inWords(_ spelling: (AuthenticationMethod) -> String) -> AuthenticationFacts {
        var words: [String] = []
        for method in methods {
            let word = AuthenticationMethod(word: method).map(spelling) ?? method
            if !words.contains(word) { words.append(word) }
        }
        return AuthenticationFacts(time: time, methods: words, contextClass: contextClass, tenantID: tenantID)
    }

    /// The facts as methods, which can be combined. Sessions and grants keep the methods themselves; those that an earlier
    /// release opened keep references, which tell less.
    public var inMethods: AuthenticationFacts {
        let words = methods.map { AuthenticationMethod(wordOrReference: $0)?.word ?? $0 }
        return AuthenticationFacts(time: time, methods: words, contextClass: contextClass, tenantID: tenantID)
    }
}

extension AuthenticationFacts {
    /// Whether an approval on another device opened the session, or a link that was opened there, and no second factor
    /// was used in it beside that.
    ///
    /// Such a session does not approve others: otherwise one approval would lead to any number of sessions. It does not
    /// change how its user signs in either: the user may have approved an attacker's request.
    public var isOfApproval: Bool {
        if methods.contains(AuthenticationMethod.otherDevice.word) { return true }
        let approval = AuthenticationMethod.approval
        return !Set([approval.word, approval.reference]).isDisjoint(with: methods)
            && !methods.contains(AuthenticationMethod.severalFactors)
    }

    /// The facts of a session that something on another device let in, such as an approval there, or a link that was
    /// opened there: it is one ``isOfApproval``, until a second factor is used in it.
    public var letIn: AuthenticationFacts {
        var facts = self
        let word = AuthenticationMethod.approval.word
        if !isOfApproval, !methods.contains(word) { facts.methods.append(word) }
        return facts
    }

    /// The facts of a session on another device that the user of this one lets in: how the user was authenticated here,
    /// and that it was not there.
    public var onOtherDevice: AuthenticationFacts {
        var facts = self
        if !methods.contains(AuthenticationMethod.otherDevice.word) {
            facts.methods.append(AuthenticationMethod.otherDevice.word)
        }
        return facts
    }

    /// Whether a factor was used that is independent of password, mailbox and telephone. The word `mfa` alone is not
    /// enough: an attacker with the password can add a telephone number, and a provider can say the word.
    package var holdsStrongFactor: Bool {
        inMethods.methods.contains { word in
            AuthenticationMethod(word: word)?.factor.isStrong ?? false
        }
    }

    /// What a session that these facts opened is worth to the rulebook.
    package func standing(_ way: SessionStanding.Way, at now: UnixTime, isImpersonated: Bool = false) -> SessionStanding
    {
        SessionStanding(
            way, isRecent: now < time + Limits.sensitiveSeconds, usedStrongFactor: holdsStrongFactor,
            usedSeveralFactors: methods.contains(AuthenticationMethod.severalFactors), isImpersonated: isImpersonated,
            isOfApproval: isOfApproval, isOfProvider: isOfProvider)
    }

    /// Whether nothing but a provider's word opened the session; a directory that checks passwords is a provider.
    package var isOfProvider: Bool {
        let used = inMethods.methods.compactMap(AuthenticationMethod.init(word:))
        return !used.isEmpty && used.allSatisfy { $0.factor == .elsewhere }
    }

    /// Whether the sign-in is recent enough, and good enough, to change how the user signs in:
    /// ``Limits/sensitiveSeconds``, and not ``isOfApproval``.
    public func mayChangeSignIn(at now: UnixTime) -> Bool {
        now < time + Limits.sensitiveSeconds && !isOfApproval
    }

    /// The same facts, no later than a provider says that the user authenticated there: the session of a provider may be
    /// hours old when it vouches for its user.
    ///
    /// - Parameter time: the provider's; `nil`: it does not say. A time in the future changes nothing.
    public func noLater(than time: UnixTime?) -> AuthenticationFacts {
        guard let time, time < self.time else { return self }
        var facts = self
        facts.time = max(time, UnixTime(rawValue: 0))
        return facts
    }

    /// Whether several factors were used, or a passkey.
    package var areStrong: Bool {
        methods.contains(AuthenticationMethod.severalFactors)
            || inMethods.methods.contains(AuthenticationMethod.passkey.word)
    }
}

extension AuthenticationMethod {
    /// The `acr` of a sign-in with this method alone.
    public var contextClass: String {
        switch self {
        case .password, .directoryPassword: AuthenticationFacts.passwordClass
        default: AuthenticationFacts.singleFactorClass
        }
    }
}
