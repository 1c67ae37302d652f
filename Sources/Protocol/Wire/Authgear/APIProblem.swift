public import KeyturnBase

/// A refusal in the words of Authgear's own interface, beside OAuth's: there `error` is a text, here it is an object.
public struct APIProblem: Error, Hashable, Sendable {
    /// What kind it is, which decides the status.
    public enum Name: String, Hashable, Sendable {
        /// 400: the request is malformed.
        case badRequest = "BadRequest"
        /// 400: the request is well-formed, and its values are not allowed.
        case invalid = "Invalid"
        /// 401: the token is missing or not good.
        case unauthorized = "Unauthorized"
        /// 403: the token does not allow this.
        case forbidden = "Forbidden"
        /// 429: too many requests.
        case tooManyRequest = "TooManyRequest"
        /// 503: try again later.
        case serviceUnavailable = "ServiceUnavailable"

        /// The HTTP status.
        public var status: Int {
            switch self {
            case .badRequest, .invalid: 400
            case .unauthorized: 401
            case .forbidden: 403
            case .tooManyRequest: 429
            case .serviceUnavailable: 503
            }
        }
    }

    /// What kind of refusal it is.
    public let name: Name
    /// A stable word, such as `InvalidGrant`.
    public let reason: String
    /// A sentence for developers.
    public let message: String

    /// A refusal; `message` is a sentence for developers.
    public init(_ name: Name, reason: String, _ message: String) {
        self.name = name
        self.reason = reason
        self.message = message
    }

    /// What was sent is not what is asked for.
    public static func invalid(_ message: String) -> APIProblem {
        APIProblem(.invalid, reason: "ValidationFailed", message)
    }

    /// The token that stands for a session is not good, or no longer.
    public static func invalidGrant(_ message: String) -> APIProblem {
        APIProblem(.forbidden, reason: "InvalidGrant", message)
    }

    /// The body to send.
    public var json: JSONValue {
        [
            "error": [
                "name": .string(name.rawValue), "reason": .string(reason), "message": .string(message),
                "code": .integer(Int64(name.status)),
            ]
        ]
    }
}
