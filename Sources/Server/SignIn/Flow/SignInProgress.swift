public import KeyturnBase
public import Model

/// How far a person has come in signing in: the states of the pages, and what leads from one to the next.
///
/// Plain data that travels sealed through the browser. Nothing here reads or writes anything: handlers report what
/// happened, and ``apply(_:)`` says which page comes next.
///
/// ```
/// identify ─ codeSent ─▶ code ──┐                    ┌─▶ secondFactor ⇄ recoveryCode ─┐
///     │  ╲── linkSent ─▶ link ──┤                    ├─▶ ways, enrolment ─────────────┤
///     │      code, link ⇄ ways  ├─ proved ─▶ settled ┤◀────── proved ─────────────────┘
///     └─ (password, passkey) ───┘                    ├─▶ newPassword, expiredPassword ─ passwordChosen ─┐
///                                                    └─▶ finished ◀───────────────────────── settled ───┘
/// ```
///
/// `secondFactor`, `recoveryCode` and `ways` also lead to `lost` and back: see ``Step/lost``.
public struct SignInProgress: Codable, Hashable, Sendable {
    /// What the person came for.
    public enum Goal: String, Codable, Hashable, Sendable {
        case signIn, passwordReset, signUp
    }

    /// Which page the person is at.
    public enum Step: String, Codable, Hashable, Sendable, CaseIterable {
        case identify
        /// A code was sent, and is to be typed.
        case code
        /// Links were sent, and one is to be followed.
        case link
        /// Another way is to be chosen.
        case ways
        /// The code of an authenticator is to be typed.
        case secondFactor
        case recoveryCode
        /// The second factor is lost: the user is told how to remove it, and gives another proof.
        case lost
        /// The other proof is a code of a message.
        case lostCode
        /// Both proofs were given: the second factor can be removed later.
        case lostWaiting
        /// Both proofs were given, and the delay is over.
        case lostRemoval
        /// An authenticator is to be set up.
        case enrolment
        /// A password is to be chosen, after a reset was proved.
        case newPassword
        /// The password was right, and must be replaced.
        case expiredPassword
        /// Nothing is missing: a session may be opened.
        case finished
    }

    /// What must still be chosen before a session is opened.
    public enum Choice: String, Codable, Hashable, Sendable {
        case reset, expired, temporary
    }

    /// What was sent.
    public struct Sent: Codable, Hashable, Sendable {
        public let at: UnixTime
        /// Where, masked.
        public let destination: String
        public var isRepeated: Bool
        /// The number of the right one of three links.
        public var number: String?
        /// By which the one who waits collects what a link proved.
        public var reference: String?
        /// Whether the message of a code holds a link as well, which does the same. `nil`: it does not.
        public var hasLink: Bool?

        public init(
            at: UnixTime, destination: String, isRepeated: Bool = false, number: String? = nil,
            reference: String? = nil, hasLink: Bool? = nil
        ) {
            self.at = at
            self.destination = destination
            self.isRepeated = isRepeated
            self.number = number
            self.reference = reference
            self.hasLink = hasLink
        }
    }

    /// Who the person proved to be so far.
    public struct Proven: Codable, Hashable, Sendable {
        public let userID: String
        /// When the last proof was given.
        public let at: UnixTime
        /// Words of ``AuthenticationMethod``, with ``AuthenticationMethod/severalFactors`` if that is so.
        public let methods: [String]
        public let contextClass: String
        /// The user's ``User/epoch`` then: in another one this says nothing.
        public var epoch: Int64

        public init(_ user: User, _ facts: AuthenticationFacts) {
            userID = user.id.rawValue
            epoch = user.epoch
            at = facts.time
            methods = facts.methods
            contextClass = facts.contextClass
        }

        /// In the words that proofs are combined in.
        public var facts: AuthenticationFacts {
            AuthenticationFacts(time: at, methods: methods, contextClass: contextClass)
        }

        public var hasSeveralFactors: Bool { methods.contains(AuthenticationMethod.severalFactors) }
    }

    /// What is asked of this person in this journey.
    public struct Demands: Hashable, Sendable {
        /// They have an authenticator: nothing goes around it.
        public let hasAuthenticator: Bool
        /// The app wants two factors.
        public let needsSeveralFactors: Bool
        /// They have a passkey, which does for a second factor.
        public let hasPasskey: Bool

        public init(hasAuthenticator: Bool, needsSeveralFactors: Bool, hasPasskey: Bool = false) {
            self.hasAuthenticator = hasAuthenticator
            self.needsSeveralFactors = needsSeveralFactors
            self.hasPasskey = hasPasskey
        }
    }

    /// What the browser can do with passkeys, as its page said when the sign-in began.
    public struct PasskeySupport: Codable, Hashable, Sendable {
        /// It can make one without asking, where a password was just filled in.
        public let isQuiet: Bool
        /// The device is an authenticator itself.
        public let isPlatform: Bool

        public init(isQuiet: Bool, isPlatform: Bool) {
            self.isQuiet = isQuiet
            self.isPlatform = isPlatform
        }
    }

    /// What happened.
    public enum Event: Hashable, Sendable {
        case codeSent(Sent)
        case linkSent(Sent)
        case otherWaysWanted
        /// Somebody showed who they are, by one more proof.
        case proved(Proven, Demands)
        case authenticatorChosen
        case recoveryChosen
        case factorLost
        /// It is there after all.
        case factorFound
        /// A code that proves the user beside the first proof went to this address.
        case lostCodeSent(Sent, to: String)
        /// The proof beside the first one was given, by a word of ``AuthenticationMethod``.
        case lossProved(by: String, isReady: Bool)
        /// The password that was owed is set, which began another ``User/epoch``.
        case passwordChosen(Demands, epoch: Int64)
    }

    /// An event that this state does not know: a form of another page.
    public struct Misplaced: Error, Hashable, Sendable {
        public init() {}
    }

    public let goal: Goal
    public private(set) var step = Step.identify
    /// The browser that this is bound to, by the digest of its mark.
    public let browser: String
    /// As it was typed.
    public let loginID: String
    /// How codes travel, as ``DeliveryMethod`` spells it.
    public let channel: String
    public private(set) var sent: Sent?
    public private(set) var proven: Proven?
    public private(set) var choice: Choice?
    /// The hash of the password that the person chose at sign-up: set once the account is theirs.
    public let chosenHash: String?
    /// What the person is called, as said at sign-up.
    public let name: String?
    /// The digest of the password that a new one replaces: no page changes it twice.
    public var passwordMark: String?
    /// Of the authenticator that is being set up: its key, in base32.
    public var enrolmentKey: String?
    /// `nil`: nothing is known of the browser, and nothing offered.
    public let passkeys: PasskeySupport?
    /// The app wants two factors, and a passkey is the only second one: nobody sets up another one around it.
    public private(set) var needsPasskey: Bool?
    /// Where the code went by which the user begins to remove a lost second factor.
    public private(set) var lostCodeAddress: String?
    /// By which second proof the user may remove it, as a word of ``AuthenticationMethod``.
    public private(set) var lossProof: String?

    public init(
        _ goal: Goal, loginID: String, channel: String, browser: String, choice: Choice? = nil,
        chosenHash: String? = nil, name: String? = nil, passkeys: PasskeySupport? = nil
    ) {
        self.goal = goal
        self.loginID = loginID
        self.channel = channel
        self.browser = browser
        self.choice = goal == .passwordReset ? .reset : choice
        self.chosenHash = chosenHash
        self.name = name
        self.passkeys = passkeys
    }
}

extension SignInProgress {
    /// Goes on to the next state: every transition there is.
    ///
    /// - Throws: ``Misplaced`` for an event that cannot happen here; nothing changes then.
    public mutating func apply(_ event: Event) throws(Misplaced) {
        // A `where` would hold for the last pattern of a list alone: conditions are said on their own.
        let isUnproven = proven == nil
        switch event {
        case .codeSent(let new):
            guard isUnproven, [.identify, .code, .link, .ways].contains(step) else { throw Misplaced() }
            (step, sent) = (.code, new)
        case .linkSent(let new):
            guard isUnproven, goal != .passwordReset, [.identify, .code, .link, .ways].contains(step) else {
                throw Misplaced()
            }
            (step, sent) = (.link, new)
        case .otherWaysWanted:
            guard [.code, .link, .secondFactor, .recoveryCode].contains(step) else { throw Misplaced() }
            step = .ways
        case .authenticatorChosen:
            guard !isUnproven, step == .ways, needsPasskey == nil else { throw Misplaced() }
            step = .secondFactor
        case .recoveryChosen:
            guard !isUnproven, step == .ways, needsPasskey == nil else { throw Misplaced() }
            step = .recoveryCode
        case .factorLost, .factorFound, .lostCodeSent, .lossProved:
            try applyLoss(event)
        case .proved(let new, let demands):
            // Where other ways are shown, a passkey is one that needs no page of its own.
            let isFirst = isUnproven && [.identify, .code, .link, .ways].contains(step)
            let isSecond =
                new.userID == proven?.userID
                && [.secondFactor, .recoveryCode, .enrolment, .ways, .lostRemoval].contains(step)
            guard isFirst || isSecond else { throw Misplaced() }
            settle(new, demands)
        case .passwordChosen(let demands, let epoch):
            guard var proven, [.newPassword, .expiredPassword].contains(step) else { throw Misplaced() }
            choice = nil
            proven.epoch = epoch
            settle(proven, demands)
        }
    }

    /// What happens on the pages of a lost second factor.
    private mutating func applyLoss(_ event: Event) throws(Misplaced) {
        guard proven != nil else { throw Misplaced() }
        let isHere = [.lost, .lostCode, .lostWaiting, .lostRemoval].contains(step)
        switch event {
        case .factorLost where [.secondFactor, .recoveryCode, .ways].contains(step):
            step = .lost
        case .factorFound where isHere:
            step = needsPasskey == true ? .ways : .secondFactor
            (sent, lostCodeAddress, lossProof) = (nil, nil, nil)
        case .lostCodeSent(let new, let address) where step == .lost || step == .lostCode:
            (step, sent, lostCodeAddress) = (.lostCode, new, address)
        case .lossProved(let method, let isReady) where step == .lost || step == .lostCode:
            (step, sent, lostCodeAddress) = (isReady ? .lostRemoval : .lostWaiting, nil, nil)
            lossProof = isReady ? method : nil
        default:
            throw Misplaced()
        }
    }

    /// What is missing yet, in this order: a second factor comes before a new password, or a mailbox alone could lock
    /// its owner out.
    private mutating func settle(_ new: Proven, _ demands: Demands) {
        proven = new
        (sent, needsPasskey, lossProof) = (nil, nil, nil)
        if demands.hasAuthenticator && !new.hasSeveralFactors {
            step = .secondFactor
        } else if let choice {
            step = choice == .reset ? .newPassword : .expiredPassword
        } else if demands.needsSeveralFactors && !new.hasSeveralFactors {
            step = demands.hasPasskey ? .ways : .enrolment
            needsPasskey = demands.hasPasskey ? true : nil
        } else {
            step = .finished
        }
    }

    /// Whether a first proof was given too long ago to go on from.
    public func isStale(at now: UnixTime) -> Bool {
        proven.map { now > $0.at + Limits.secondFactorSeconds } ?? false
    }

    /// How long until something may be sent again, in seconds; 0: now.
    public func resendWaitSeconds(at now: UnixTime) -> Int64 {
        sent.map { max(0, Limits.resendSeconds - now.seconds(since: $0.at)) } ?? 0
    }
}
