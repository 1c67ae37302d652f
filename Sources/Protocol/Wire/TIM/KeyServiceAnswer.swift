public import KeyturnBase

/// A data key, as the key service hands it out.
public struct KeyServiceAnswer: Sendable {
    /// Opaque.
    public let keyID: String
    /// The AES key: 16, 24 or 32 bytes, in base64 with padding. Not parsed here: whether it is one, its user finds out.
    public let key: Secret
    /// What opens the same key without the secret. Older services leave it out when they answer `key`.
    public let longSecret: Secret?
    /// How many wrong secrets were tried since it was handed out last, for the person to hear of; `nil`: the service does not
    /// say.
    public let failedAttempts: Int?

    /// A data key with what opens it.
    public init(keyID: String, key: Secret, longSecret: Secret?, failedAttempts: Int? = nil) {
        self.keyID = keyID
        self.key = key
        self.longSecret = longSecret
        self.failedAttempts = failedAttempts
    }

    /// Reads an answer; `nil` if it is none. Unknown members are ignored.
    public init?(parsing body: [UInt8], limits: JSONValue.Limits = .standard) {
        guard let json = try? JSONValue(parsing: body, limits: limits), let keyID = json["keyid"]?.stringValue,
            let key = json["key"]?.stringValue, !keyID.isEmpty
        else { return nil }
        let longSecret = json["longsecret"]
        guard longSecret == nil || longSecret == .null || longSecret?.stringValue != nil else { return nil }
        self.init(
            keyID: keyID, key: Secret(key), longSecret: longSecret?.stringValue.map { Secret($0) },
            failedAttempts: json["failed_attempts"]?.integerValue.flatMap { Int(exactly: $0) })
    }

    /// The body to send. It holds secrets.
    public var body: [UInt8] {
        JSONWriter.object { json in
            json.member("keyid", keyID)
            json.member("key", key.exposed())
            json.member("longsecret", longSecret?.exposed())
            json.member("failed_attempts", failedAttempts.map(Int64.init))
        }
    }
}

/// Why the key service refused. Its clients go by the status; what else the body says is ours.
public struct KeyServiceRefusal: Error, Hashable, Sendable {
    /// A word for programs. An open set.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// 401: not the secret. It was counted.
        public static let wrongSecret = Self(rawValue: "wrong_secret")
        /// 403: too many wrong secrets in a row. The right one opens nothing any more.
        public static let keyLocked = Self(rawValue: "key_locked")
        /// 404: no such key.
        public static let unknownKey = Self(rawValue: "unknown_key")
        /// 400: not a request of this wire, or a secret that is too short or too long.
        public static let invalidRequest = Self(rawValue: "invalid_request")
        /// 429: too often.
        public static let tooManyRequests = Self(rawValue: "too_many_requests")
        /// 503: not now.
        public static let unavailable = Self(rawValue: "temporarily_unavailable")
    }

    /// What failed, for programs.
    public let code: Code
    /// A sentence for developers.
    public let message: String
    /// How many wrong secrets in a row are left before the key is locked; `nil`: the service does not say.
    public let remainingAttempts: Int?

    /// A refusal; `message` is a sentence for developers.
    public init(_ code: Code, _ message: String, remainingAttempts: Int? = nil) {
        self.code = code
        self.message = message
        self.remainingAttempts = remainingAttempts
    }

    /// Reads the body of a refusal; `nil` if the service sends none, as others do.
    public init?(parsing body: [UInt8]) {
        guard let json = try? JSONValue(parsing: body), let code = json["error"]?.stringValue else { return nil }
        self.init(
            Code(rawValue: code), json["error_description"]?.stringValue ?? "",
            remainingAttempts: json["remaining_attempts"]?.integerValue.flatMap { Int(exactly: $0) })
    }

    /// The body to send.
    public var body: [UInt8] {
        JSONWriter.object { json in
            json.member("error", code.rawValue)
            json.member("error_description", message)
            json.member("remaining_attempts", remainingAttempts.map(Int64.init))
        }
    }
}

/// One of a user's keys, as its owner may see it: nothing that opens it.
public struct KeyServiceEntry: Hashable, Sendable {
    /// The key's identifier; opaque.
    public let keyID: String
    /// When the key was made.
    public let createdAt: UnixTime
    /// When it was handed out last; `nil`: never since it was made.
    public let usedAt: UnixTime?
    /// Whether too many wrong secrets closed it.
    public let isLocked: Bool
    /// Wrong secrets in a row that are left.
    public let remainingAttempts: Int

    /// A key as its owner sees it.
    public init(keyID: String, createdAt: UnixTime, usedAt: UnixTime?, isLocked: Bool, remainingAttempts: Int) {
        self.keyID = keyID
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.isLocked = isLocked
        self.remainingAttempts = remainingAttempts
    }

    /// One element of `{"keys": […]}`.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "keyid": .string(keyID), "created_at": .integer(createdAt.rawValue), "locked": .bool(isLocked),
            "remaining_attempts": .integer(Int64(remainingAttempts)),
        ]
        if let usedAt { members["used_at"] = .integer(usedAt.rawValue) }
        return .object(members)
    }

    /// Reads one element; `nil` if it is none.
    public init?(json: JSONValue) {
        guard let keyID = json["keyid"]?.stringValue, let createdAt = json["created_at"]?.integerValue,
            let isLocked = json["locked"]?.boolValue,
            let remaining = json["remaining_attempts"]?.integerValue.flatMap({ Int(exactly: $0) })
        else { return nil }
        self.init(
            keyID: keyID, createdAt: UnixTime(rawValue: createdAt),
            usedAt: json["used_at"]?.integerValue.map { UnixTime(rawValue: $0) }, isLocked: isLocked,
            remainingAttempts: remaining)
    }
}
