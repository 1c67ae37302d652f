internal import Crypto
internal import KeyturnBase
internal import Model

/// Cursors: sealed, good for one tenant and one search, for a while (RFC 9865).
struct SCIMCursors: Sendable {
    private let seal: Seal
    private let ambient: Ambient

    init(_ secrets: ServerSecrets, ambient: Ambient) {
        seal = Seal(secrets, purpose: .provisioningCursor, ambient: ambient)
        self.ambient = ambient
    }

    /// - Parameter position: where the next page begins.
    func make(_ position: Int64, _ tenant: String, _ kind: SCIMRecord.Kind, _ search: SCIMSearch) -> String {
        let end = ambient.now() + Limits.scimCursorSeconds
        return Base64URL.encode(
            seal.seal(Self.bytes(position) + Self.bytes(end.rawValue), context: Self.context(tenant, kind, search)))
    }

    /// - Throws: `invalidCursor`, `expiredCursor`.
    func position(_ cursor: String, _ tenant: String, _ kind: SCIMRecord.Kind, _ search: SCIMSearch)
        throws(SCIMProblem) -> Int64
    {
        guard cursor.utf8.count <= 256, let sealed = Base64URL.decode(cursor),
            let plain = seal.open(sealed, context: Self.context(tenant, kind, search)), plain.count == 16
        else { throw SCIMProblem(400, .invalidCursor, "The cursor belongs to no such search.") }
        let end = UnixTime(rawValue: Self.number(plain[8...]))
        guard ambient.now() < end else {
            throw SCIMProblem(400, .expiredCursor, "The cursor is older than \(Limits.scimCursorSeconds) seconds.")
        }
        return Self.number(plain[..<8])
    }

    private static func context(_ tenant: String, _ kind: SCIMRecord.Kind, _ search: SCIMSearch) -> [UInt8] {
        let parts: [JSONValue] = [
            .string(tenant), .string(kind.rawValue), .string(search.filter ?? ""), .string(search.sortBy ?? ""),
            .bool(search.isDescending),
        ]
        return Array(SHA256.hash(data: JSONValue.array(parts).serialized))
    }

    private static func bytes(_ number: Int64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
    }

    private static func number(_ bytes: some Sequence<UInt8>) -> Int64 {
        bytes.reduce(0) { $0 << 8 | Int64($1) }
    }
}
