public import KeyturnBase

/// A sign-in on its way, sealed into one text: where it leads and how far it is. No row exists before its end.
public struct SignInPassage: Codable, Hashable, Sendable {
    /// The authorization request behind it; `nil` for a link that was opened in a browser where nothing was begun.
    public var journey: AuthorizationJourney?
    public var progress: SignInProgress
    public let startedAt: UnixTime

    public init(journey: AuthorizationJourney?, progress: SignInProgress, startedAt: UnixTime) {
        self.journey = journey
        self.progress = progress
        self.startedAt = startedAt
    }

    /// Whether it has taken too long.
    public func isExpired(at now: UnixTime) -> Bool {
        if let journey { return journey.isExpired(at: now) }
        return now >= startedAt + Limits.journeySeconds
    }

    public var needsSeveralFactors: Bool { journey?.needsSeveralFactors == true }
}

extension AuthenticationFacts {
    /// The same facts in the words of RFC 8176, each once.
    public var inReferences: AuthenticationFacts {
        var words: [String] = []
        for method in methods {
            let word = AuthenticationMethod(word: method)?.reference ?? method
            if !words.contains(word) { words.append(word) }
        }
        return AuthenticationFacts(time: time, methods: words, contextClass: contextClass)
    }

    /// The facts of a browser session, in the words that proofs are combined in: as far as the words tell.
    public var inMethods: AuthenticationFacts {
        let words = methods.map { word in
            switch word {
            case "otp": AuthenticationMethod.email.word
            case "tel": AuthenticationMethod.voice.word
            case "hwk": AuthenticationMethod.passkey.word
            default: word
            }
        }
        return AuthenticationFacts(time: time, methods: words, contextClass: contextClass)
    }

    /// The `acr` of a sign-in with two different factors.
    public static let severalFactorsClass = SecondFactor.severalClass
    /// The `acr` of a sign-in with one factor that is no password.
    public static let singleFactorClass = SecondFactor.singleClass
}
