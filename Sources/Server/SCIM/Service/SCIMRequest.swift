public import KeyturnBase
internal import Model

/// Who asks: a tenant's provisioning client.
public struct SCIMClient: Hashable, Sendable {
    /// From the token, never from the address.
    public let tenantID: String
    public let tokenID: String
    /// The client's network address, for the audit log.
    public let address: String?

    public init(tenantID: String, tokenID: String, address: String?) {
        self.tenantID = tenantID
        self.tokenID = tokenID
        self.address = address
    }
}

/// A request below the address of the interface.
public struct SCIMRequest: Sendable {
    /// `GET`, `POST`, `PUT`, `PATCH`, `DELETE`.
    public var method: String
    /// Below the address of the interface: `["Users", "…"]`.
    public var path: [String]
    /// The parameters of the query.
    public var query: [String: String]
    /// `nil`: there is none.
    public var body: JSONValue?
    /// The request's `If-Match` and `If-None-Match`.
    public var ifMatch: String?
    public var ifNoneMatch: String?

    public init(
        method: String, path: [String], query: [String: String] = [:], body: JSONValue? = nil, ifMatch: String? = nil,
        ifNoneMatch: String? = nil
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
        self.ifMatch = ifMatch
        self.ifNoneMatch = ifNoneMatch
    }
}

/// An answer of the interface.
public struct SCIMAnswer: Hashable, Sendable {
    public var status: Int
    /// `nil`: there is none.
    public var body: JSONValue?
    /// The address of the resource.
    public var location: String?
    /// The entity tag.
    public var version: String?

    public init(_ status: Int, _ body: JSONValue? = nil, location: String? = nil, version: String? = nil) {
        self.status = status
        self.body = body
        self.location = location
        self.version = version
    }

    /// A refusal (RFC 7644 §3.12).
    public static func refusal(_ status: Int, kind: String? = nil, _ detail: String) -> SCIMAnswer {
        var members: [String: JSONValue] = [
            "schemas": [.string(SCIMSchemas.error)], "status": .string(String(status)), "detail": .string(detail),
        ]
        members["scimType"] = kind.map(JSONValue.string)
        return SCIMAnswer(status, .object(members))
    }
}

/// What a search asks for, in the query or as a body (RFC 7644 §3.4.2, §3.4.3; RFC 9865).
struct SCIMSearch: Sendable {
    var filter: String?
    var sortBy: String?
    var isDescending = false
    var startIndex: Int64?
    var count: Int64?
    /// Empty: the first page by cursor.
    var cursor: String?
    var attributes: [String] = []
    var excluded: [String] = []

    /// - Throws: `invalidValue`, `invalidCount`.
    init(query: [String: String]) throws(SCIMProblem) {
        filter = query["filter"]
        sortBy = query["sortBy"]
        isDescending = query["sortOrder"]?.lowercased() == "descending"
        cursor = query["cursor"]
        attributes = Self.names(query["attributes"])
        excluded = Self.names(query["excludedAttributes"])
        startIndex = try Self.number(query["startIndex"], "startIndex", .invalidValue)
        count = try Self.number(query["count"], "count", .invalidCount)
        try check()
    }

    /// - Throws: `invalidValue`, `invalidSyntax`.
    init(body: JSONValue?) throws(SCIMProblem) {
        guard let members = body?.objectValue else {
            throw SCIMProblem(400, .invalidSyntax, "The body must be a search request.")
        }
        filter = members["filter"]?.stringValue
        sortBy = members["sortBy"]?.stringValue
        isDescending = members["sortOrder"]?.stringValue?.lowercased() == "descending"
        cursor = members["cursor"]?.stringValue
        attributes = members["attributes"]?.stringArrayValue ?? []
        excluded = members["excludedAttributes"]?.stringArrayValue ?? []
        startIndex = members["startIndex"]?.integerValue
        count = members["count"]?.integerValue
        try check()
    }

    private func check() throws(SCIMProblem) {
        if cursor != nil, startIndex != nil {
            throw SCIMProblem(400, .invalidValue, "cursor and startIndex exclude each other.")
        }
        if cursor != nil, let count, count < 0 {
            throw SCIMProblem(400, .invalidCount, "count is negative.")
        }
    }

    /// 0 to ``Limits/scimPageMax``.
    var limit: Int {
        Int(max(0, min(count ?? Int64(Limits.scimPageDefault), Int64(Limits.scimPageMax))))
    }

    /// From 1.
    var first: Int64 { min(max(1, startIndex ?? 1), 1_000_000_000) }

    private static func names(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map { $0.filter { $0 != " " } }.filter { !$0.isEmpty }
    }

    private static func number(_ text: String?, _ name: String, _ kind: SCIMProblem.Kind)
        throws(SCIMProblem) -> Int64?
    {
        guard let text else { return nil }
        guard let number = Int64(text) else { throw SCIMProblem(400, kind, "\(name) is no number.") }
        return number
    }
}
