public import KeyturnBase

/// A set of public keys, as an issuer publishes it (RFC 7517 §5).
public struct JSONWebKeySet: Hashable, Sendable {
    /// The keys, in the order of the document.
    public let keys: [JSONWebKey]

    /// Most keys that are read; an issuer has a handful.
    public static let keysMax = 128
    /// Most keys that are tried for a token that names none.
    public static let unnamedCandidatesMax = 8

    /// A set of these keys.
    public init(keys: [JSONWebKey]) {
        self.keys = keys
    }

    /// Parses a set. Keys of unknown kind are left out (RFC 7517 §5).
    ///
    /// - Throws: `malformed` if it is not a set; `tooLarge` if it holds more than ``keysMax`` keys.
    public init(parsing bytes: [UInt8]) throws(JoseProblem) {
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes, limits: .init(bytesMax: 1_048_576, depthMax: 6))
        } catch {
            throw JoseProblem(.malformed, "the key set is not JSON as it should be: \(error.rule.rawValue)")
        }
        guard let entries = json["keys"]?.arrayValue else { throw JoseProblem(.malformed, "the key set has no keys") }
        guard entries.count <= Self.keysMax else { throw JoseProblem(.tooLarge, "the key set has too many keys") }
        keys = entries.compactMap { try? JSONWebKey($0) }
    }

    /// The set as it is published.
    public var json: JSONValue {
        ["keys": .array(keys.map(\.json))]
    }
}
