internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// The header fields that a client adds to each request. They take the place of the request's own.
struct ServiceHeaders: Sendable {
    var userID: String?
    var sharedLink: (url: String, password: Secret?)?
    var isSilent = false
    var extra: [(name: String, value: String)] = []

    /// Names that decide who asks, and what HTTP itself needs.
    private static let reserved: Set<String> = [
        "authorization", "dpop", "host", "content-length", "transfer-encoding", "connection", "as-user", "boxapi",
        "box-notifications", "proxy-authorization", "cookie",
    ]

    /// - Throws: `configuration.invalid` for what cannot stand in a header, or must not.
    func add(to request: inout HTTPRequest) throws(AuthError) {
        var fields = extra
        for field in extra {
            guard HeaderText.isName(field.name), HeaderText.isValue(field.value) else {
                throw AuthError(.misconfigured, "a header of the client cannot be sent")
            }
            guard !Self.reserved.contains(field.name.lowercased()) else {
                throw AuthError(.misconfigured, "a header of the client has a name that the library sends by itself")
            }
        }
        if let userID {
            guard HeaderText.isToken(userID) else { throw AuthError(.misconfigured, "a user's identifier is none") }
            fields.append(("As-User", userID))
        }
        if let sharedLink {
            let value = FormParameters([
                "shared_link": sharedLink.url, "shared_link_password": sharedLink.password?.exposed(),
            ])
            guard HeaderText.isValue(value.encoded) else {
                throw AuthError(.misconfigured, "a shared link is too long")
            }
            fields.append(("BoxApi", value.encoded))
        }
        if isSilent { fields.append(("Box-Notifications", "off")) }
        let names = Set(fields.map { $0.name.lowercased() })
        request.headers.removeAll { names.contains($0.name.lowercased()) }
        request.headers += fields
    }
}
