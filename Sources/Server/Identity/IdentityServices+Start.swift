public import KeyturnJose
internal import Model
internal import OAuth
internal import SignIn

extension IdentityServices {
    /// Reads clients and keys and what password hashes cost, and makes the key that signs access tokens. Everything else can wait until the server
    /// listens: see ``Upkeep``.
    public func prepare() async throws {
        try await clients.reload()
        try await directory.reload()
        try await connections.reload()
        try await passwords.costs.reload()
        try await keys.reload()
        _ = try await keys.maintain(Array(signatureAlgorithms.prefix(1)))
    }

    /// The algorithms that must have a key: the project's, and RS256 for clients that register no algorithm.
    public var signatureAlgorithms: [SignatureAlgorithm] { project.signatureAlgorithms }
}

extension Project {
    var signatureAlgorithms: [SignatureAlgorithm] {
        let names = signingAlgorithms + (signingAlgorithms.contains("RS256") ? [] : ["RS256"])
        return names.compactMap(SignatureAlgorithm.init(rawValue:))
    }
}
