public import KeyturnBase

/// The credentials of a request: `Bearer <project>[:<second>][:<third>]`.
///
/// The second part is a refresh JWT, an access key or a management key; a third one is a management key. A JWT is told
/// by its shape. Which kind of key a second part is, the place that it is presented to knows: an access key is looked up
/// among access keys, a management key among management keys, and none is both.
public struct ProjectBearer: Equatable, Sendable {
    /// The project whose methods are called.
    public let projectID: String
    /// The second part, if it has the shape of a JWT.
    public let refreshJWT: Secret?
    /// The second part, if it has another shape.
    public let accessKey: Secret?
    /// The last part but the first, if it is not a JWT.
    public let managementKey: Secret?

    /// The largest header field that is looked at, in bytes.
    public static let headerMaxBytes = 16_384

    /// What a client sends.
    public init(projectID: String, refreshJWT: Secret? = nil, key: Secret? = nil) {
        self.projectID = projectID
        self.refreshJWT = refreshJWT
        accessKey = refreshJWT == nil ? key : nil
        managementKey = key
    }

    /// Reads the `Authorization` header field; `nil` if it is of another form.
    ///
    /// One to three parts, none empty, visible ASCII only.
    public init?(header: String) {
        guard header.utf8.count <= Self.headerMaxBytes, header.prefix(7).lowercased() == "bearer " else { return nil }
        let text = header.dropFirst(7)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard (1...3).contains(parts.count), !parts.contains("") else { return nil }
        projectID = parts[0]
        let second = parts.count > 1 ? parts[1] : nil
        let last = parts.count > 1 ? parts[parts.count - 1] : nil
        refreshJWT = second.flatMap { Self.looksLikeJWT($0) ? Secret($0) : nil }
        accessKey = second.flatMap { Self.looksLikeJWT($0) ? nil : Secret($0) }
        managementKey = last.flatMap { Self.looksLikeJWT($0) ? nil : Secret($0) }
    }

    /// The header field.
    public var header: String {
        let parts = [projectID, refreshJWT?.exposed(), (accessKey ?? managementKey)?.exposed()]
        return "Bearer " + parts.compactMap(\.self).joined(separator: ":")
    }

    /// Three parts of base64url, the first an object: `eyJ` is `{"`.
    package static func looksLikeJWT(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 && text.hasPrefix("eyJ") && parts.allSatisfy { !$0.isEmpty }
    }
}
