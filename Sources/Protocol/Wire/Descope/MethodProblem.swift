public import KeyturnBase

/// A refusal in the words of the methods' wire: what a server sends and a client receives.
///
/// Only ``code`` is for machines. Printed, it shows nothing else.
public struct MethodProblem: Error, Hashable, Sendable {
    /// The `errorCode`. Servers invent their own: keep a `default` branch.
    public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        public init(stringLiteral value: String) {
            rawValue = value
        }
    }

    /// `errorCode`: what failed, for programs.
    public let code: Code
    /// `errorDescription`: a short text that is the same for each refusal of this code.
    public let description: String
    /// `errorMessage`: a sentence for a developer. Never holds a secret or what the sender sent.
    public let message: String?
    /// The HTTP status.
    public let status: Int
    /// How long the sender should stay away, in seconds (`Retry-After`).
    public let retryAfterSeconds: Int?
    /// `missing`: what would turn the refusal into a yes; `nil`: nothing would, or the server does not say.
    public let missing: MissingStep?
    /// `pendingRef`: what the second factor continues the sign-in with, in place of a refresh JWT; `nil`: nothing waits.
    public let pendingRef: Secret?

    /// A refusal; the status is 400 unless it is said.
    public init(
        code: Code, description: String, message: String? = nil, status: Int = 400, retryAfterSeconds: Int? = nil,
        missing: MissingStep? = nil, pendingRef: Secret? = nil
    ) {
        self.code = code
        self.description = description
        self.message = message
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
        self.missing = missing
        self.pendingRef = pendingRef
    }

    /// The same refusal with a sentence for a developer.
    public func saying(_ message: String) -> MethodProblem {
        MethodProblem(
            code: code, description: description, message: message, status: status,
            retryAfterSeconds: retryAfterSeconds, missing: missing, pendingRef: pendingRef)
    }

    /// The same refusal with what the second factor continues the sign-in with.
    public func waiting(for pendingRef: Secret) -> MethodProblem {
        MethodProblem(
            code: code, description: description, message: message, status: status,
            retryAfterSeconds: retryAfterSeconds, missing: missing, pendingRef: pendingRef)
    }

    /// By the code and the status.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(status)
    }
}

/// What is missing for an act that the server would otherwise allow: `missing` of a refusal with status 403.
public enum MissingStep: String, Hashable, Sendable, CaseIterable {
    /// A sign-in of the last minutes.
    case recentSignIn = "recent_sign_in"
    /// The account's own second factor, used in this session.
    case secondFactor = "second_factor"
    /// A second factor, which the user must set up first.
    case secondFactorSetup = "second_factor_setup"
    /// A proof that the address is the user's: a code or a link that was sent there.
    case addressProof = "address_proof"
    /// An act of an operator with the role `owner`.
    case owner
    /// The user's consent.
    case consent
}

extension MethodProblem {
    /// The body is not what the wire allows at all.
    public static let badRequest = MethodProblem(code: "E011001", description: "The request is malformed")
    /// The body lacks a member that must be there.
    public static let missingArguments = MethodProblem(code: "E011002", description: "The request lacks arguments")
    /// A member is missing, or a rule is broken that its message names.
    public static let invalidRequest = MethodProblem(code: "E011003", description: "The request is invalid")
    /// A member is of the wrong type, or its value is impossible.
    public static let invalidArguments = MethodProblem(
        code: "E011004", description: "The request has invalid arguments")
    /// The code is not the one that was sent.
    public static let wrongCode = MethodProblem(code: "E061102", description: "The code is wrong")
    /// The code has expired.
    public static let codeExpired = MethodProblem(code: "E061104", description: "The code has expired")
    /// A user with this login ID exists already.
    public static let userExists = MethodProblem(code: "E062107", description: "The user exists already")
    /// No user has this login ID.
    public static let userNotFound = MethodProblem(code: "E062108", description: "The user was not found")
    /// One answer for an unknown user and for a wrong password, so that a client cannot tell which it was.
    public static let wrongPassword = MethodProblem(
        code: "E062108", description: "The user was not found, or the password is wrong")
    /// The right link was not followed yet: ask again. Pollers go on only while the status is 401.
    public static let linkPending = MethodProblem(
        code: "E062503", description: "The link has not been followed yet", status: 401)
    /// The link is over.
    public static let linkExpired = MethodProblem(code: "E062504", description: "The link has expired")
    /// The request has no access key.
    public static let missingAccessKey = MethodProblem(
        code: "E062802", description: "The access key is missing", status: 401)
    /// The access key is unknown, expired or revoked.
    public static let invalidAccessKey = MethodProblem(
        code: "E062803", description: "The access key is invalid", status: 401)
    /// The password is right and must be changed first.
    public static let passwordExpired = MethodProblem(code: "E062909", description: "The password has expired")
    /// The link is unknown, was used, or is a wrong one of three.
    public static let linkUnknown = MethodProblem(
        code: "E063010", description: "The link is unknown, or has expired")
    /// The code of a sign-in at a provider is unknown, was used, or has expired.
    public static let wrongExchangeCode = MethodProblem(
        code: "E063011", description: "The code is unknown, was used, or has expired")
    /// The provider is unknown or turned off, or its answer did not pass.
    public static let providerRefused = MethodProblem(
        code: "E063012", description: "The sign-in at the provider failed")
    /// The definite verdict on a refresh token: revoked, spent, expired or never issued.
    public static let tokenRevoked = MethodProblem(
        code: "E064001", description: "The token is no longer valid", status: 401)
    /// The user has no passkey to sign in with.
    public static let noPasskeys = MethodProblem(code: "E067010", description: "The user has no passkeys")
    /// Management: no user has this login ID or identifier.
    public static let managementUserNotFound = MethodProblem(
        code: "E112102", description: "The user was not found", status: 400)

    /// Too many wrong codes: neither this one nor a newer one is compared until then.
    public static func tooManyAttempts(retryAfterSeconds: Int) -> MethodProblem {
        let seconds = max(1, retryAfterSeconds)
        return MethodProblem(
            code: "E061103", description: "Too many wrong codes were entered",
            message: "No code is compared, and none is sent, for \(seconds) seconds", retryAfterSeconds: seconds)
    }

    /// Too many requests.
    public static func rateLimited(retryAfterSeconds: Int) -> MethodProblem {
        MethodProblem(
            code: "E130429", description: "The rate limit was exceeded", status: 429,
            retryAfterSeconds: max(1, retryAfterSeconds))
    }

    /// Too many wrong codes: no new one is sent until then.
    public static func noCodes(retryAfterSeconds: Int) -> MethodProblem {
        rateLimited(retryAfterSeconds: retryAfterSeconds)
            .saying("Too many wrong codes were entered: no new code is sent until then")
    }

    /// What is missing for this act. Never 401: clients that poll read that as "not yet".
    public static func missing(_ step: MissingStep, _ message: String) -> MethodProblem {
        MethodProblem(
            code: invalidRequest.code, description: invalidRequest.description, message: message, status: 403,
            missing: step)
    }

    /// A member that must be there is not.
    public static func missing(_ member: String) -> MethodProblem {
        invalidRequest.saying("The \(member) field is required")
    }
}

extension MethodProblem {
    /// The body of the answer.
    public var json: JSONValue {
        var members: [String: JSONValue] = [
            "errorCode": .string(code.rawValue), "errorDescription": .string(description),
        ]
        if let message { members["errorMessage"] = .string(message) }
        if let missing { members["missing"] = .string(missing.rawValue) }
        if let pendingRef { members["pendingRef"] = .string(pendingRef.exposed()) }
        return .object(members)
    }

    /// Reads an answer; `nil` if it names no `errorCode`, so that it is not in the words of this wire.
    ///
    /// - Parameter retryAfterSeconds: The header field of that name.
    public init?(json: JSONValue, status: Int, retryAfterSeconds: Int? = nil) {
        guard let code = json["errorCode"]?.stringValue, !code.isEmpty else { return nil }
        self.init(
            code: Code(rawValue: code), description: json["errorDescription"]?.stringValue ?? "",
            message: json["errorMessage"]?.stringValue, status: status, retryAfterSeconds: retryAfterSeconds,
            missing: json["missing"]?.stringValue.flatMap(MissingStep.init),
            pendingRef: json["pendingRef"]?.stringValue.map { Secret($0) })
    }
}

extension MethodProblem: CustomDebugStringConvertible {
    public var debugDescription: String { "MethodProblem(\(code.rawValue), \(status))" }
}
