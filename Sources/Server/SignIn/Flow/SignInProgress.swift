public import KeyturnBase
public import Model

/// The state of a user's sign-in: the states of the pages, and the transitions between them.
///
/// Plain data that is kept sealed in the browser. Nothing here reads or writes anything: handlers report what
/// happened, and ``apply(_:)`` says which page comes next.
///
/// ```
/// identify ─ codeSent ─▶ code ──┐                    ┌─▶ secondFactor ⇄ secondFactor ─┐
///     │  ╲── linkSent ─▶ link ──┤                    ├─▶ ways, enrolment ─────────────┤
///     │      code, link ⇄ ways  ├─ proved ─▶ settled ┤◀────── proved ─────────────────┘
///     └─ (password, passkey) ───┘                    ├─▶ newPassword, expiredPassword ─ passwordChosen ─┐
///                                                    └─▶ finished ◀───────────────────────── settled ───┘
/// ```
///
/// There is one `secondFactor` for each method that can be one; `ways` leads from one to another. They also lead to
/// `lost` and back: see ``Step/lost``.
public struct SignInProgress: Codable, Hashable, Sendable {
    /// The purpose of the transaction.
    public enum Goal: String, Codable, Hashable, Sendable {
        case signIn, passwordReset, signUp
    }

    /// The current page.
    public enum Step: Codable, Hashable, Sendable {
        case identify
        /// A code was sent, and the user must enter it.
        case code
        /// Links were sent, and the user must open one.
        case link
        /// The user must approve the sign-in on another device.
        case approval
        /// The user must choose another method.
        case ways
        /// The user must enter a code of this second factor.
        case secondFactor(AuthenticationMethod)
        /// The second factor is lost: the user is told how to remove it, and uses another factor.
        case lost
        /// The other factor is a code in a message.
        case lostCode
        /// Both factors were used: the second factor can be removed later.
        case lostWaiting
        /// Both factors were used, and the delay is over.
        case lostRemoval
        /// The user must set up an authenticator app.
        case enrolment
        /// The user must choose a password, after a verified reset.
        case newPassword
        /// The password was right, and must be replaced.
        case expiredPassword
        /// The step of a journey with this name, which waits for the user or refuses the sign-in.
        case journey(String)
        /// The sign-in is complete: a session may be opened.
        case finished
    }

    /// What the user must still choose before a session is opened.
    public enum Choice: String, Codable, Hashable, Sendable {
        case reset, expired, temporary
    }

    /// What was sent.
    public struct Sent: Codable, Hashable, Sendable {
        public let at: UnixTime
        /// The masked address.
        public let destination: String
        public var isRepeated: Bool
        /// The number of the right one of three links.
        public var number: String?
        /// The reference with which the waiting browser collects the result of the link.
        public var reference: String?
        /// Whether the message with the code also contains a link. `nil`: it does not.
        public var hasLink: Bool?
        /// Whether the link was opened in the browser that waits for it. `nil`: not that is known.
        package internal(set) var isOpenedHere: Bool?

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

    /// What happened on a page.
    public enum Event: Hashable, Sendable {
        case codeSent(Sent)
        case linkSent(Sent)
        case approvalAsked(Sent)
        case otherWaysWanted
        /// A factor of the user was verified.
        case proved(Proven, Demands)
        /// The user wants to use this second factor.
        case secondFactorChosen(AuthenticationMethod)
        case factorLost
        /// The user has found the second factor again.
        case factorFound
        /// A code was sent to this address, to verify the user beside the first factor.
        case lostCodeSent(Sent, to: String)
        /// The factor beside the first one was verified; a word of ``AuthenticationMethod``.
        case lossProved(by: String, isReady: Bool)
        /// The second factors are removed, which began another ``User/epoch``.
        case factorsRemoved(epoch: Int64)
        /// The required password is set, which began another ``User/epoch``.
        case passwordChosen(Demands, epoch: Int64)
        /// A step of the journey is fulfilled.
        case journeyReported(JourneyRecord.Report, Demands)
    }

    /// An event that is not possible in this state, for example a form of another page.
    public struct Misplaced: Error, Hashable, Sendable {
        public init() {}
    }

    public let goal: Goal
    public internal(set) var step = Step.identify
    /// The digest of the mark of the browser that this is bound to.
    public let browser: String
    /// As the user entered it.
    public let loginID: String
    /// How codes are sent, as ``DeliveryMethod`` spells it.
    public let channel: String
    public internal(set) var sent: Sent?
    public internal(set) var proven: Proven?
    public private(set) var choice: Choice?
    /// The hash of the password that the user chose at sign-up: stored once the account is verified.
    public let chosenHash: String?
    /// The user's name, as entered at sign-up.
    public let name: String?
    /// The digest of the password that is replaced: no page replaces the same one twice.
    public var passwordMark: String?
    /// The key of the authenticator app that is being set up, in base32.
    public var enrolmentKey: String?
    /// Whether the authenticator app was set up here; `nil`: it was not.
    public private(set) var hasEnrolled: Bool?
    /// `nil`: nothing is known of the browser, and no passkey is offered.
    public let passkeys: PasskeySupport?
    /// The second factor that the user has set up.
    public internal(set) var requiredFactor: AuthenticationMethod?
    /// The app wants two factors, and a passkey is the only second one: the user cannot avoid it with a new factor.
    public internal(set) var needsPasskey: Bool?
    /// The address of the code with which the user begins to remove a lost second factor.
    public private(set) var lostCodeAddress: String?
    /// The method beside the first factor that permits the removal, as a word of ``AuthenticationMethod``.
    public private(set) var lossProof: String?
    /// When it went on from a session, whose own verification may be older; `nil`: it began with a verification.
    public var resumedAt: UnixTime?
    /// The journey so far; `nil`: no step of one was reached.
    public internal(set) var journey: JourneyRecord?

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
    /// Goes to the next state. All transitions are here.
    ///
    /// - Throws: ``Misplaced`` for an event that is not possible in this state, which then does not change.
    public mutating func apply(_ event: Event) throws(Misplaced) {
        // A `where` would hold for the last pattern of a list only, so conditions are separate.
        let isUnproven = proven == nil
        switch event {
        case .codeSent(let new):
            guard isUnproven, isBeforeFirst else { throw Misplaced() }
            (step, sent) = (.code, new)
        case .linkSent(let new):
            guard isUnproven, goal != .passwordReset, isBeforeFirst else {
                throw Misplaced()
            }
            (step, sent) = (.link, new)
        case .approvalAsked(let new):
            guard isUnproven, goal == .signIn, isBeforeFirst else { throw Misplaced() }
            (step, sent) = (.approval, new)
        case .otherWaysWanted:
            guard step == .code || step == .link || step == .approval || step.secondFactor != nil else {
                throw Misplaced()
            }
            step = .ways
        case .secondFactorChosen(let factor):
            guard !isUnproven, step == .ways, needsPasskey == nil else { throw Misplaced() }
            step = .secondFactor(factor)
        case .factorLost, .factorFound, .lostCodeSent, .lossProved, .factorsRemoved:
            try applyLoss(event)
        case .proved(var new, let demands):
            let isFirst = isUnproven && isBeforeFirst
            guard isFirst || takes(new) else { throw Misplaced() }
            if step == .enrolment { hasEnrolled = true }
            if step == .approval { new.note(approval: sent?.reference) }
            settle(new, demands)
        case .passwordChosen(let demands, let epoch):
            guard var proven, [.newPassword, .expiredPassword].contains(step) else { throw Misplaced() }
            choice = nil
            proven.epoch = epoch
            settle(proven, demands)
        case .journeyReported(let report, let demands):
            try note(report, demands)
        }
    }

    /// Whether the step waits for a first factor.
    private var isBeforeFirst: Bool { [.identify, .code, .link, .approval, .ways].contains(step) }

    /// The transitions of the pages for a lost second factor.
    private mutating func applyLoss(_ event: Event) throws(Misplaced) {
        guard proven != nil else { throw Misplaced() }
        let isHere = [.lost, .lostCode, .lostWaiting, .lostRemoval].contains(step)
        switch event {
        case .factorLost where step == .ways || step.secondFactor != nil:
            step = .lost
        case .factorFound where isHere:
            step = needsPasskey == true ? .ways : requiredFactor.map(Step.secondFactor) ?? .ways
            (sent, lostCodeAddress, lossProof) = (nil, nil, nil)
        case .lostCodeSent(let new, let address) where step == .lost || step == .lostCode:
            (step, sent, lostCodeAddress) = (.lostCode, new, address)
        case .lossProved(let method, let isReady) where step == .lost || step == .lostCode:
            // The removal rests on the address of the code, too.
            if let lostCodeAddress { proven?.note(lostCodeAddress) }
            (step, sent, lostCodeAddress) = (isReady ? .lostRemoval : .lostWaiting, nil, nil)
            lossProof = isReady ? method : nil
        case .factorsRemoved(let epoch) where step == .lostRemoval:
            proven?.epoch = epoch
        default:
            throw Misplaced()
        }
    }

    /// What is still missing, in this order: a second factor comes before a new password. Otherwise an attacker with
    /// the mailbox alone could change the password and lock the owner out.
    mutating func settle(_ new: Proven, _ demands: Demands) {
        proven = new
        (sent, needsPasskey, lossProof) = (nil, nil, nil)
        requiredFactor = demands.secondFactor
        if let factor = demands.secondFactor, !new.standsForAuthenticator {
            step = .secondFactor(factor)
        } else if let choice {
            step = choice == .reset ? .newPassword : .expiredPassword
        } else if demands.needsSeveralFactors && !demands.areMet(by: new) {
            if demands.hasPasskey {
                (step, needsPasskey) = (.ways, true)
            } else if let factor = demands.secondFactor {
                step = .secondFactor(factor)
            } else {
                enrol(new, demands)
            }
        } else if demands.linksIdentity || demands.needsOwnFactor, !demands.isStrongEnough(new) {
            askForStrongFactor(demands)
        } else {
            advance(new, demands)
        }
    }
}
