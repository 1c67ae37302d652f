public import KeyturnBase

/// Stands for the real one, which needs a package: what the adapters make of it, a test reads.
public struct JSONWebKey: Hashable, Sendable {
    public let json: JSONValue

    public init(_ json: JSONValue) throws(KeyProblem) {
        guard json["kty"] == "EC", json["crv"] == "P-256" else { throw KeyProblem() }
        self.json = json
    }

    public struct KeyProblem: Error {}
}
