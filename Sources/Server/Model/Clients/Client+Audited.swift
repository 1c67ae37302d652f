internal import Foundation
internal import KeyturnBase

extension Client: Audited {
    public func auditFields(_ roleName: (String) -> String) -> AuditFields {
        var fields = AuditFields()
        // Its members are texts, numbers and lists of them, which always can be written.
        let metadata = (try? JSONEncoder().encode(metadata)).flatMap { try? JSONValue(parsing: $0).objectValue } ?? [:]
        for (name, value) in metadata where name != Self.keys { fields.set(name, value) }
        // Mostly public keys, but a client may have registered others.
        fields.set(secret: Self.keys, metadata[Self.keys].map { String(decoding: $0.serialized, as: UTF8.self) })
        fields.set(secret: "client_secret", secretDigests.map { Base16.encode($0.bytes) }.joined(separator: " "))
        fields.set("first_party", .bool(isFirstParty))
        fields.set("profile", .string(profile.rawValue))
        fields.set("assertion_seconds", assertionSeconds.map(JSONValue.integer))
        return fields
    }

    private static let keys = "jwks"
}
