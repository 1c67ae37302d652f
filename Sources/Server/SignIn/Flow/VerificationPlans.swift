internal import Authority
internal import KeyturnBase
public import KeyturnWire
public import Model

/// A client's request to send a code or link.
public struct VerificationRequest: Sendable {
    /// The purpose of the message.
    public enum Intent: Hashable, Sendable {
        case signIn
        case signUp(SignUpDetails)
        case signUpOrIn
        case passwordReset

        /// Whether this may create a user, under any free name.
        var isSignUp: Bool {
            guard case .signUp = self else { return false }
            return true
        }
    }

    public let intent: Intent
    /// As the user entered it.
    public let loginID: String
    public let method: DeliveryMethod
    public var options: LoginOptions
    /// The target of a link; `nil`: the project's own page.
    public var redirectURL: String?
    /// The session that a step-up or another factor continues.
    public var presented: PresentedRefresh?
    public var from: NetworkAddress?
    /// The browser of the request, such as "Firefox on Linux"; `nil`: not known.
    public var device: String?

    public init(
        _ intent: Intent, loginID: String, method: DeliveryMethod, options: LoginOptions = .none,
        redirectURL: String? = nil, presented: PresentedRefresh? = nil, from: NetworkAddress? = nil
    ) {
        self.intent = intent
        self.loginID = loginID
        self.method = method
        self.options = options
        self.redirectURL = redirectURL
        self.presented = presented
        self.from = from
    }
}

/// What is to be sent, and what a right answer verifies.
package struct VerificationPlan: Sendable {
    package var facts: VerificationFacts
    package let method: DeliveryMethod
    /// Where the message goes. For a decoy, what the user entered.
    package let to: String
    /// Whether there is no such user: the same work is done, and no message is sent.
    package let isDecoy: Bool
    /// Whether no message is sent: for decoys, and for test users, who have no mailbox.
    package let isSilent: Bool
    /// A user who has an account asked for another one.
    package let isRegistered: Bool
    package let options: LoginOptions
    package let masked: MaskedAnswer

    package init(
        facts: VerificationFacts, method: DeliveryMethod, to: String, isDecoy: Bool, isSilent: Bool, isRegistered: Bool,
        options: LoginOptions, masked: MaskedAnswer
    ) {
        self.facts = facts
        self.method = method
        self.to = to
        self.isDecoy = isDecoy
        self.isSilent = isSilent
        self.isRegistered = isRegistered
        self.options = options
        self.masked = masked
    }

    /// The key of the user's or login ID's codes.
    var slot: String { Self.slot(of: facts.userID, loginID: facts.loginID, method: facts.method) }

    /// Codes are counted for a user, or for a login ID without a user.
    static func slot(of user: UserID?, loginID: Identifier, method: AuthenticationMethod) -> String {
        guard let user else { return "\(loginID.kind.rawValue):\(loginID.value)/\(method.rawValue)" }
        return "user:\(user.rawValue)/\(method.rawValue)"
    }
}

/// Decides what is sent to which address. An unknown account gets a plan like any other, but with a decoy.
struct VerificationPlanner: Sendable {
    let users: any UserStore
    let sendLimits: SendLimits
    let rulebook: Rulebook
    let signUp: SignUpGate
    let ambient: Ambient

    /// Where no account may be opened, an unknown user is one like any other.
    ///
    /// - Throws: ``MethodProblem`` for faults of the request itself, never for an unknown user.
    func plan(_ ask: VerificationRequest) async throws -> VerificationPlan {
        let loginID = try ask.intent.isSignUp ? Self.newIdentifier(ask.loginID) : Self.identifier(ask.loginID)
        guard let method = AuthenticationMethod(rawValue: ask.method.rawValue) else { throw MethodProblem.badRequest }
        let signUp = try signUpAddress(ask, loginID: loginID)
        // Asked before the account is looked up, so that the time does not tell whether there is one.
        let maySignUp = try await self.signUp.admits(.anonymous, proving: signUp)
        if loginID.kind == .phone { try Identifier.requireDialled(loginID, "loginId") }
        try Self.check(ask.options, presented: ask.presented)
        let account = try await users.account(loginID)
        if ask.options.needsSession, ask.presented?.account.user.id != account?.user.id {
            throw MethodProblem.invalidArguments.saying("The session belongs to another user")
        }
        var facts = VerificationFacts(
            .signIn, userID: nil, loginID: loginID, address: nil, method: method, options: ask.options.json,
            presented: ask.options.needsSession ? ask.presented?.grant.id : nil,
            network: ask.options.needsSession ? ask.from?.network : nil)
        facts.device = ask.device
        if let account {
            facts.address = Destination.address(
                of: account, loginID: loginID, method: ask.method, isOwner: ask.options.needsSession)
            if facts.address != nil { (facts.userID, facts.epoch) = (account.user.id, account.user.epoch) }
            if case .passwordReset = ask.intent { facts.purpose = .passwordReset }
        } else if let signUp, maySignUp {
            facts.purpose = .signUp
            facts.address = signUp
            if case .signUp(let details) = ask.intent { facts.details = details.json }
        }
        guard facts.json.serialized.count <= Limits.proofFactsBytesMax else {
            throw MethodProblem.invalidArguments.saying("Options and details are too large")
        }
        let isTest = account?.user.isTest ?? false
        let shown = signUp ?? loginID
        let to = facts.address ?? shown
        if !isTest {
            try await sendLimits.pay(for: loginID, to: signUp, from: ask.from, at: ambient.now())
            if ask.method.isPhone { try await chargeSMS(&facts, to: to, isTyped: to == shown, from: ask.from) }
        }
        var isRegistered = false
        if ask.intent.isSignUp, account != nil, !isTest { isRegistered = true }
        return VerificationPlan(
            facts: facts, method: ask.method, to: (facts.address ?? shown).value, isDecoy: facts.address == nil,
            isSilent: facts.address == nil || isTest, isRegistered: isRegistered, options: ask.options,
            masked: MaskedAnswer(Destination.mask(shown.value), via: ask.method))
    }

    /// If the limit of a number is used up that the user did not enter, the answer does not show that there is such a
    /// number: nothing is sent, as for an unknown number.
    private func chargeSMS(_ facts: inout VerificationFacts, to: Identifier, isTyped: Bool, from: NetworkAddress?)
        async throws
    {
        let isOwn = facts.purpose == .signIn || facts.purpose == .passwordReset
        let smsCharge = try await sendLimits.chargeSMS(
            to: to, for: facts.loginID, isDecoy: facts.address == nil, isOwn: isOwn, from: from, at: ambient.now())
        switch smsCharge {
        case .paid: facts.isSMSCharged = true
        case .free: break
        case .refused(let seconds):
            guard !isTyped || to.kind != .phone else { throw MethodProblem.rateLimited(retryAfterSeconds: seconds) }
            (facts.address, facts.userID, facts.epoch) = (nil, nil, nil)
        }
    }

    /// The plan for another address of a signed-in user. It says what is wrong, since the user is known.
    func plan(_ update: AddressUpdate) async throws -> VerificationPlan {
        let loginID = try Self.identifier(update.loginID)
        // The proof of the address is what this message asks for.
        try update.presented.require(.addAddress, rulebook, showing: .addressProof, at: ambient.now())
        let account = update.presented.account
        guard account.identifiers[loginID] != nil else {
            throw MethodProblem.invalidArguments.saying("The session belongs to another user")
        }
        guard let address = Identifier(loginID: update.address), address.kind == Destination.kind(of: update.method),
            let method = AuthenticationMethod(rawValue: update.method.rawValue)
        else { throw MethodProblem.invalidArguments.saying("The address is not well-formed") }
        if address.kind == .phone { try Identifier.requireDialled(address, "phone") }
        if account.identifiers[address] == nil { try address.requireNoFlaw("address") }
        guard
            !update.addsToLoginIDs || account.identifiers[address] != nil
                || account.identifiers.count < Limits.identifiersOfUserMax
        else {
            throw MethodProblem.invalidArguments.saying("A user has at most \(Limits.identifiersOfUserMax) login IDs")
        }
        var facts = VerificationFacts(
            .update, userID: account.user.id, loginID: loginID, address: address, method: method,
            options: update.options.json, presented: update.presented.grant.id,
            network: update.from?.network, addsToLoginIDs: update.addsToLoginIDs,
            mergesIntoExisting: update.mergesIntoExisting, epoch: account.user.epoch)
        if !account.user.isTest {
            try await sendLimits.pay(for: loginID, to: address, from: update.from, at: ambient.now())
            if update.method.isPhone { try await chargeSMS(&facts, to: address, isTyped: true, from: update.from) }
        }
        return VerificationPlan(
            facts: facts, method: update.method, to: address.value, isDecoy: false, isSilent: account.user.isTest,
            isRegistered: false, options: update.options,
            masked: MaskedAnswer(Destination.mask(address.value), via: update.method))
    }

    /// The address that verifies a sign-up, from the request alone; `nil` if it is no sign-up.
    private func signUpAddress(_ ask: VerificationRequest, loginID: Identifier) throws(MethodProblem) -> Identifier? {
        switch ask.intent {
        case .signUp(let details):
            try details.requireSmall()
            guard let address = Destination.address(of: details, loginID: loginID, method: ask.method) else {
                throw .missing(ask.method.isPhone ? "user.phone" : "user.email")
            }
            return address
        case .signUpOrIn:
            // A name without an address can sign in, but cannot receive messages. Nor can one that no account may get.
            guard loginID.flaw == nil else { return nil }
            return Destination.address(of: SignUpDetails(), loginID: loginID, method: ask.method)
        case .signIn, .passwordReset:
            return nil
        }
    }

    static func identifier(_ text: String) throws(MethodProblem) -> Identifier {
        guard let identifier = Identifier(loginID: text) else {
            throw .invalidArguments.saying("The loginId field is not well-formed")
        }
        return identifier
    }

    /// The login ID of a new user.
    ///
    /// - Throws: ``MethodProblem/invalidArguments`` also for one that looks like a user's identifier, or like another
    ///   login ID.
    static func newIdentifier(_ text: String) throws(MethodProblem) -> Identifier {
        let loginID = try identifier(text)
        try loginID.requireNoFlaw("loginId")
        guard !UserID.isReadIn(loginID.value) else {
            throw .invalidArguments.saying("The loginId field must not look like a user's identifier")
        }
        if loginID.kind == .phone { try Identifier.requireDialled(loginID, "loginId") }
        return loginID
    }

    /// A step-up and another factor continue a session; without one they would be an ordinary sign-in.
    static func check(_ options: LoginOptions, presented: PresentedRefresh?) throws(MethodProblem) {
        guard !options.needsSession || presented != nil else {
            throw .invalidRequest.saying("A refresh token must be presented for step-up and MFA")
        }
        if options.needsSession { try presented?.requireOwner() }
    }
}

/// Another address for a signed-in user.
public struct AddressUpdate: Sendable {
    public let presented: PresentedRefresh
    public let loginID: String
    /// The new email address or telephone number.
    public let address: String
    public let method: DeliveryMethod
    /// Whether it becomes a login ID as well.
    public var addsToLoginIDs: Bool
    /// If it is another user's login ID, that user stays and this one is removed; otherwise the other way round.
    public var mergesIntoExisting: Bool
    public var options: LoginOptions
    public var redirectURL: String?
    public var from: NetworkAddress?

    public init(
        _ presented: PresentedRefresh, loginID: String, address: String, method: DeliveryMethod,
        addsToLoginIDs: Bool = false, mergesIntoExisting: Bool = false, options: LoginOptions = .none,
        redirectURL: String? = nil, from: NetworkAddress? = nil
    ) {
        self.presented = presented
        self.loginID = loginID
        self.address = address
        self.method = method
        self.addsToLoginIDs = addsToLoginIDs
        self.mergesIntoExisting = mergesIntoExisting
        self.options = options
        self.redirectURL = redirectURL
        self.from = from
    }
}
