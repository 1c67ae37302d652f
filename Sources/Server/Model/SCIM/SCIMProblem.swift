/// Why a request of a provisioning client is refused (RFC 7644 §3.12).
public struct SCIMProblem: Error, Hashable, Sendable {
    /// The detail error keyword (RFC 7644 Table 9, RFC 9865 §3).
    public enum Kind: String, Hashable, Sendable {
        case invalidFilter, tooMany, uniqueness, mutability, invalidSyntax, invalidPath, noTarget, invalidValue
        case invalidVers, sensitive, invalidCursor, expiredCursor, invalidCount
    }

    /// The status of the answer.
    public let status: Int
    public let kind: Kind?
    /// A sentence for the operator of the client. Holds no secret.
    public let detail: String

    public init(_ status: Int, _ kind: Kind? = nil, _ detail: String) {
        self.status = status
        self.kind = kind
        self.detail = detail
    }

    /// There is no such resource in this tenant: the same answer for those of others.
    public static let notFound = SCIMProblem(404, nil, "There is no such resource.")
    /// The request's `If-Match` names another version.
    public static let changed = SCIMProblem(412, nil, "The resource has another version by now.")
    /// Another resource of the tenant has the name or the external identifier.
    public static let taken = SCIMProblem(
        409, .uniqueness, "Another resource of this tenant has this name, externalId or person.")
    /// Another caller than the directory disabled the user.
    public static let locked = SCIMProblem(
        409, .mutability, "The user was disabled here by an operator: userName, externalId and emails stay.")
    /// A member is no user of this tenant.
    public static let unknownMember = SCIMProblem(400, .invalidValue, "A member is no user of this tenant.")
    /// The group would have too many members.
    public static let tooManyMembers = SCIMProblem(
        413, nil, "A group has at most \(Limits.scimGroupMembersMax) members.")
}
