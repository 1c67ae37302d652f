public import KeyturnBase

/// What must be known again when a code or link comes back: the user, and what was asked for.
///
/// Stored in the row of the code or link: an attacker who never verifies anything leaves nothing else behind.
public struct VerificationFacts: Hashable, Sendable {
    /// What a code or link is for.
    public enum Purpose: String, Hashable, Sendable, CaseIterable {
        case signIn = "sign-in"
        /// There is no user yet; the verification makes one.
        case signUp = "sign-up"
        /// Another email address or phone number for a signed-in user.
        case update
        /// A password reset.
        case passwordReset = "password-reset"
        /// Made by the operator's backend, which vouches for the user.
        case embedded
        /// One of the two verifications that remove a lost second factor. It opens no session.
        case recovery
    }

    public var purpose: Purpose
    /// The user it signs in or changes; `nil`: not created yet.
    public var userID: UserID?
    /// The login ID that was typed.
    public var loginID: Identifier
    /// The address that the verification confirms; `nil`: none.
    public var address: Identifier?
    /// The channel it was sent by.
    public var method: AuthenticationMethod
    /// The details of a sign-up, as ``SignUpDetails`` writes them.
    public var details: JSONValue
    /// The requested options of the session, as ``LoginOptions`` writes them.
    public var options: JSONValue
    /// The session that a step-up continues.
    public var presented: GrantID?
    /// The network from which that session asked, as ``NetworkAddress/network`` has it.
    public var network: String?
    /// The message that offers another way to answer as well: spending one spends both. `nil`: only one way.
    public var messageID: String?
    /// Whether a rate limit that is refunded was charged for it: a country's, or a network's for sign-ups.
    public var isSMSCharged = false
    /// Whether an updated address becomes a login ID as well.
    public var addsToLoginIDs: Bool
    /// Whether an updated address that belongs to another user leads to that user.
    public var mergesIntoExisting: Bool
    /// The browser that asked for it, such as "Firefox on Linux", shown in the message. Nothing is decided by it.
    public var device: String?
    /// The user's ``User/epoch`` when this was begun: it is refused in another epoch. `nil`: there is no user yet.
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
        if isSMSCharged { members["tolled"] = true }
        if let device { members["device"] = .string(device) }
        return .object(members)
    }

    /// Reads ``json``. `nil` if malformed.
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
        isSMSCharged = json["tolled"]?.boolValue ?? false
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
