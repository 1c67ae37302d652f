public import KeyturnBase

/// A code or a link is on its way; where to, with most of it hidden.
public struct MaskedAnswer: Hashable, Sendable {
    /// The email address, most of it hidden; `nil` if it went to a telephone.
    public var maskedEmail: String?
    /// The telephone number, most of it hidden; `nil` if it went by email.
    public var maskedPhone: String?

    /// An answer with an address that is hidden already.
    public init(maskedEmail: String? = nil, maskedPhone: String? = nil) {
        self.maskedEmail = maskedEmail
        self.maskedPhone = maskedPhone
    }

    /// - Parameter masked: The address, most of it hidden already.
    public init(_ masked: String, via method: DeliveryMethod) {
        self.init(maskedEmail: method.isPhone ? nil : masked, maskedPhone: method.isPhone ? masked : nil)
    }

    /// The address, whichever it is.
    public var address: String? { maskedEmail ?? maskedPhone }
}

extension MaskedAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        maskedEmail = try body.text("maskedEmail")
        maskedPhone = try body.text("maskedPhone")
    }

    public var json: JSONValue {
        var members: [String: JSONValue] = [:]
        members.add("maskedEmail", maskedEmail)
        members.add("maskedPhone", maskedPhone)
        return .object(members)
    }
}

/// Three links are on their way, one of which is right.
public struct EnchantedLinkAnswer: Equatable, Sendable {
    /// What the right link shows, two digits.
    public var linkID: String
    /// What the starter asks with whether it has been followed.
    public var pendingRef: Secret
    /// Where the links are on their way to.
    public var masked: MaskedAnswer

    /// An answer; `linkID` is shown to the user.
    public init(linkID: String, pendingRef: Secret, masked: MaskedAnswer) {
        self.linkID = linkID
        self.pendingRef = pendingRef
        self.masked = masked
    }
}

extension EnchantedLinkAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        linkID = try body.requiredText("linkId")
        pendingRef = try body.requiredSecret("pendingRef")
        masked = try MaskedAnswer(body)
    }

    public var json: JSONValue {
        var members = masked.json.objectValue ?? [:]
        members["linkId"] = .string(linkID)
        members["pendingRef"] = .string(pendingRef.exposed())
        return .object(members)
    }
}

/// A password reset was asked for.
public struct PasswordResetAnswer: Equatable, Sendable {
    /// How the reset works: `magiclink` or `enchantedlink`.
    public var resetMethod: String
    /// Where the message is on its way to.
    public var masked: MaskedAnswer
    /// With `enchantedlink` only.
    public var linkID: String?
    /// What the starter asks with whether the link has been followed. With `enchantedlink` only.
    public var pendingRef: Secret?

    /// An answer; the last two with `enchantedlink` only.
    public init(resetMethod: String, masked: MaskedAnswer, linkID: String? = nil, pendingRef: Secret? = nil) {
        self.resetMethod = resetMethod
        self.masked = masked
        self.linkID = linkID
        self.pendingRef = pendingRef
    }
}

extension PasswordResetAnswer: MethodMessage {
    public init(_ body: MethodBody) throws(MethodProblem) {
        resetMethod = try body.text("resetMethod") ?? ""
        masked = try MaskedAnswer(body)
        linkID = try body.text("linkId")
        pendingRef = try body.secret("pendingRef")
    }

    public var json: JSONValue {
        var members = masked.json.objectValue ?? [:]
        members["resetMethod"] = .string(resetMethod)
        members.add("linkId", linkID)
        members.add("pendingRef", pendingRef)
        return .object(members)
    }
}
