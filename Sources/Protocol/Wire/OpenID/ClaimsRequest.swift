public import KeyturnBase

/// The `claims` parameter: single claims asked for by name (OpenID Connect Core §5.5).
public struct ClaimsRequest: Hashable, Sendable {
    /// How one claim is asked for.
    public struct Claim: Hashable, Sendable {
        /// Whether the client says that it needs the claim (`essential`).
        public let isEssential: Bool
        /// Values that would do; empty when any will.
        public let values: [JSONValue]
    }

    /// Claims asked for at the UserInfo endpoint, by name.
    public var userinfo: [String: Claim]
    /// Claims asked for in the ID token, by name.
    public var idToken: [String: Claim]

    /// Asks for nothing.
    public static let none = ClaimsRequest(userinfo: [:], idToken: [:])

    /// A request for claims.
    public init(userinfo: [String: Claim], idToken: [String: Claim]) {
        self.userinfo = userinfo
        self.idToken = idToken
    }

    /// Parses the parameter's JSON. `nil` if it is not an object of the form of §5.5; unknown members are ignored.
    public init?(parsing text: String) {
        let limits = JSONValue.Limits(bytesMax: 8_192, depthMax: 6, membersMax: 64)
        guard let json = try? JSONValue(parsing: text.utf8, limits: limits), json.objectValue != nil,
            let userinfo = Self.claims(json["userinfo"]), let idToken = Self.claims(json["id_token"])
        else { return nil }
        self.init(userinfo: userinfo, idToken: idToken)
    }

    /// Whether nothing is asked for.
    public var isEmpty: Bool { userinfo.isEmpty && idToken.isEmpty }

    /// The part that asks for claims of these names.
    public func keeping(_ names: Set<String>) -> ClaimsRequest {
        ClaimsRequest(
            userinfo: userinfo.filter { names.contains($0.key) }, idToken: idToken.filter { names.contains($0.key) })
    }

    /// The parameter's JSON.
    public var text: String {
        let json: JSONValue = ["userinfo": Self.json(userinfo), "id_token": Self.json(idToken)]
        return String(decoding: json.serialized, as: UTF8.self)
    }

    private static func json(_ claims: [String: Claim]) -> JSONValue {
        .object(
            claims.mapValues { claim in
                var members: [String: JSONValue] = [:]
                if claim.isEssential { members["essential"] = true }
                if !claim.values.isEmpty { members["values"] = .array(claim.values) }
                return members.isEmpty ? .null : .object(members)
            })
    }

    private static func claims(_ json: JSONValue?) -> [String: Claim]? {
        guard let json, json != .null else { return [:] }
        guard let members = json.objectValue else { return nil }
        var claims: [String: Claim] = [:]
        for (name, value) in members {
            guard value == .null || value.objectValue != nil else { return nil }
            let values = value["values"]?.arrayValue ?? value["value"].map { [$0] } ?? []
            claims[name] = Claim(isEssential: value["essential"]?.boolValue ?? false, values: values)
        }
        return claims
    }
}
