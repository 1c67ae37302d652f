import KeyturnBase

/// Everything that can be wrong with one member of client data that a ceremony looks at.
enum ClientDataMutations {
    static func all(of encoded: [UInt8]) -> [[UInt8]] {
        guard let json = try? JSONValue(parsing: encoded), let members = json.objectValue else { return [] }
        var results: [[UInt8]] = []
        for name in ["type", "challenge", "origin"] {
            guard let text = members[name]?.stringValue else { continue }
            let values: [JSONValue?] = [
                nil, .null, .string(""), .string(text + "="), .string(text + "/"), .string(text.uppercased()),
                .string(" " + text), .string(text + "\u{0}"), .string(String(text.dropLast())), .array([.string(text)]),
                .integer(1), .object([:]), .bool(true),
            ]
            results += values.map { changed(members, name, $0) }
            // The same member twice: which one counts?
            results.append(Array("{\"\(name)\":\"\(text)\",".utf8) + encoded.dropFirst())
        }
        results += ["webauthn.create", "webauthn.get", "payment.get"].map(JSONValue.string).filter {
            $0 != members["type"]
        }.map { changed(members, "type", $0) }
        for origin in [
            "http://example.org", "https://example.org:8443", "https://evil.example.org",
            "https://example.org.evil.test",
            "https://evil.test", "null", "https://EXAMPLE.org", "https://example.org/",
        ] { results.append(changed(members, "origin", .string(origin))) }
        for value: JSONValue in ["true", 1, .null, []] { results.append(changed(members, "crossOrigin", value)) }
        if members["crossOrigin"] != .bool(true) {
            results.append(changed(members, "crossOrigin", .bool(true)))
        }
        for value: JSONValue in ["https://evil.test", "", .null, 1] {
            results.append(changed(members, "topOrigin", value))
        }
        if members["topOrigin"] != nil { results.append(changed(members, "crossOrigin", .bool(false))) }
        for value: JSONValue in ["present", [:], ["status": "present"], ["status": "maybe"], .null] {
            results.append(changed(members, "tokenBinding", value))
        }
        return results + [[], Array("{}".utf8), Array("[]".utf8), Array("null".utf8), encoded + encoded]
    }

    private static func changed(_ members: [String: JSONValue], _ name: String, _ value: JSONValue?) -> [UInt8] {
        var copy = members
        copy[name] = value
        return JSONValue.object(copy).serialized
    }
}
