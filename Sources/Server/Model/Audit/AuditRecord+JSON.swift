package import KeyturnBase

extension AuditRecord {
    /// The event as programs read it; what does not apply is left out. `at` is in seconds since 1970, digests are in
    /// hexadecimal digits.
    package var json: JSONValue {
        var members: [String: JSONValue] = [
            "number": .integer(number), "at": .integer(event.at.rawValue), "action": .string(event.kind.rawValue),
        ]
        let texts = [
            "user": event.userID?.rawValue, "client": event.clientID, "session": event.sessionID?.rawValue,
            "address": event.address, "reason": event.reason, "actor": event.actor, "target": event.target,
        ]
        for (name, text) in texts { members[name] = text.map { .string($0) } }
        members["changes"] = event.changes?.json
        let digests = [
            "changes_salt": event.changes?.salt, "changes_digest": changesDigest, "previous": previous,
            "digest": digest,
        ]
        for (name, bytes) in digests { members[name] = bytes.map { .string(Base16.encode($0)) } }
        if !loginIDs.isEmpty { members["login_ids"] = .array(loginIDs.map(JSONValue.string)) }
        if !tenants.isEmpty { members["tenants"] = .array(tenants.map(JSONValue.string)) }
        return .object(members)
    }
}
