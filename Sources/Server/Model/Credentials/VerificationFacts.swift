public import KeyturnBase

/// What must survive between the sending of a proof and its coming back: whom it is about and what was asked for.
///
/// It lives in the row of the code or link, so that a stranger who never proves anything leaves nothing else behind.
public struct VerificationFacts: Hashable, Sendable {
    /// What a code or link is for.
    public enum Purpose: String, Hashable, Sendable, CaseIterable {
        case signIn = "sign-in"
        /// There is no user yet; the proof makes one.
        case signUp = "sign-up"
        /// Another email address or phone number for somebody who is signed in.
        case update
        /// The way back for somebody who forgot a password.
        case passwordReset = "password-reset"
        /// Made by the operator's backend, which vouches for the person.
        case embedded
        /// One of two proofs by which a lost second factor is removed. It opens no session.
        case recovery
    }

    public var purpose: Purpose
    /// Whom it signs in or changes; `nil`: somebody who is not there yet.
    public var userID: UserID?
    /// The login ID that was typed.
    public var loginID: Identifier
    /// The address that whoever holds the proof can read; `nil`: the proof shows no address.
    public var address: Identifier?
    /// How it travelled.
    public var method: AuthenticationMethod
    /// What a sign-up said about the person, as ``SignUpDetails`` writes it.
    public var details: JSONValue
    /// What was asked of the session, as ``LoginOptions`` writes it.
    public var options: JSONValue
    /// The session that a step-up goes on from.
    public var presented: GrantID?
    /// The network from which that session asked, as ``NetworkAddress/network`` has it.
    public var network: String?
    /// The message that it came in together with another way to answer: one of them is spent with the other. `nil`: alone.
    public var messageID: String?
    /// Whether a purse paid for it that gets that back: a country's, or a network's for sign-ups.
    public var isTolled = false
    /// Whether an updated address becomes a login ID as well.
    public var addsToLoginIDs: Bool
    /// Whether an updated address that belongs to another user leads to that user.
    public var mergesIntoExisting: Bool
    /// The browser that asked for it, such as "Firefox on Linux", for the reader of the message. Nothing is decided by it.
    public var device: String?
    /// The user's ``User/epoch`` when this was begun: it is worth nothing in another one. `nil`: there is no user yet.
    public var epoch: Int64?

    public init(
        _ purpose: Purpose, userID: UserID?, loginID: Identifier, address: Identifier?, method: AuthenticationMethod,
        details: JSONValue = .null, options: JSONValue = .null, presented: GrantID? = nil, network: String? = nil,
        addsToLoginIDs: Bool = false, mergesIntoExisting: Bool = false, epoch: Int64? = nil
    ) {
        self.purpose = purpose
        self.userID = userID
        self.loginID = loginID
        self.address = address
        self.method = method
        self.details = details
        self.options = options
        self.presented = presented
        self.network = network
        self.addsToLoginIDs = addsToLoginIDs
        self.mergesIntoExisting = mergesIntoExisting
        self.epoch = epoch
    }
}

extension VerificationFacts {
    /// The form in which a store keeps them.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "purpose": .string(purpose.rawValue), "login_id": Self.json(of: loginID),
            "method": .string(method.rawValue), "details": details, "options": options,
            "adds": .bool(addsToLoginIDs), "merges": .bool(mergesIntoExisting),
        ]
        if let userID { members["user_id"] = .string(userID.rawValue) }
        if let address { members["address"] = Self.json(of: address) }
        if let presented { members["presented"] = .string(presented.text) }
        if let network { members["network"] = .string(network) }
        if let epoch { members["epoch"] = .integer(epoch) }
        if let messageID { members["message"] = .string(messageID) }
        if isTolled { members["tolled"] = true }
        if let device { members["device"] = .string(device) }
        return .object(members)
    }

    /// Reads ``json``. `nil` if it is something else.
    public init?(json: JSONValue) {
        guard let purpose = json["purpose"]?.stringValue.flatMap(Purpose.init(rawValue:)),
            let loginID = json["login_id"].flatMap(Self.identifier),
            let method = json["method"]?.stringValue.flatMap(AuthenticationMethod.init(rawValue:))
        else { return nil }
        self.init(
            purpose, userID: json["user_id"]?.stringValue.map(UserID.init(rawValue:)), loginID: loginID,
            address: json["address"].flatMap(Self.identifier), method: method, details: json["details"] ?? .null,
            options: json["options"] ?? .null, presented: json["presented"]?.stringValue.flatMap(GrantID.init(text:)),
            network: json["network"]?.stringValue,
            addsToLoginIDs: json["adds"]?.boolValue ?? false, mergesIntoExisting: json["merges"]?.boolValue ?? false,
            epoch: json["epoch"]?.integerValue)
        messageID = json["message"]?.stringValue
        isTolled = json["tolled"]?.boolValue ?? false
        device = json["device"]?.stringValue
    }

    private static func json(of identifier: Identifier) -> JSONValue {
        .array([.string(identifier.kind.rawValue), .string(identifier.value)])
    }

    private static func identifier(_ json: JSONValue) -> Identifier? {
        guard let parts = json.stringArrayValue, parts.count == 2, let kind = Identifier.Kind(rawValue: parts[0]) else {
            return nil
        }
        return Identifier(kind: kind, storedValue: parts[1])
    }
}
