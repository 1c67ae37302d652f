internal import Account
internal import KeyturnBase
internal import Model

/// Methods, sessions and events, a row each.
extension ConsoleUserPage {
    private var id: String { account.user.id.rawValue }

    /// The rows of methods, each with the button that removes it, if the operator may.
    func methodValues(_ strings: Strings) -> [[String: Any]] {
        let text = strings[ConsoleUserStrings.self]
        var rows: [[String: Any]] = []
        func add(_ kind: String, _ name: String?, _ facts: [String?], remove: ConsoleUserAction? = nil) {
            var row: [String: Any] = ["kind": kind]
            row["name"] = name
            let facts = facts.compactMap(\.self).joined(separator: " · ")
            if !facts.isEmpty { row["more"] = facts }
            if mayHelp, let remove { row["remove"] = remove.values }
            rows.append(row)
        }
        if let password = methods.password {
            add(
                text.password, nil,
                [
                    password.setAt.map { text.setAt(since($0, strings)) } ?? text.setAtUnknown,
                    password.mustReplace ? text.mustReplace : nil,
                ])
        }
        for authenticator in methods.authenticators {
            add(
                text.authenticator, nil,
                [text.addedAt(since(authenticator.addedAt, strings)), used(authenticator.usedAt, strings)])
        }
        if methods.recoveryCodes > 0 { add(text.recoveryCodes, nil, [text.codesLeft(methods.recoveryCodes)]) }
        for passkey in methods.passkeys {
            add(
                text.passkey, passkey.name,
                [
                    text.addedAt(since(passkey.createdAt, strings)), used(passkey.usedAt, strings),
                    passkey.isActive ? nil : text.off,
                ],
                remove: ConsoleUserAction(
                    word: "remove-passkey", label: text.remove, question: text.removePasskeySure(passkey.name),
                    isDangerous: true, fields: [("id", id), ("passkey", passkey.id.rawValue)], form: form))
        }
        for key in signedIn.keys {
            let name = key.key.device.isEmpty ? strings.deviceUnknown : key.key.device
            add(
                text.biometricKey, name,
                [
                    key.app ?? project, text.addedAt(since(key.key.createdAt, strings)),
                    used(key.key.usedAt, strings),
                ],
                remove: ConsoleUserAction(
                    word: "remove-biometric", label: text.remove, question: text.removeBiometricSure(name),
                    isDangerous: true, fields: [("id", id), ("key", key.key.id)], form: form))
        }
        for found in methods.identities {
            add(
                text.identity, found.provider ?? found.identity.key.connectionID,
                [
                    found.identity.email ?? found.identity.name ?? found.identity.key.subject,
                    text.addedAt(since(found.identity.linkedAt, strings)), used(found.identity.usedAt, strings),
                ])
        }
        return rows
    }

    func row(_ open: OpenSession, _ strings: Strings) -> [String: Any] {
        let origin = open.session.origin
        return [
            "name": origin.device ?? strings.deviceUnknown, "place": place(origin, strings),
            "since": moment(open.session.createdAt, strings), "used": moment(open.usedAt, strings),
            "end": ending("session", open.session.id.rawValue),
        ]
    }

    func row(_ app: AccountSettings.SignedInApp, _ strings: Strings) -> [String: Any] {
        [
            "name": app.name ?? project, "device": app.origin.device ?? strings.deviceUnknown,
            "place": place(app.origin, strings), "since": moment(app.grant.createdAt, strings),
            "used": moment(app.usedAt, strings), "end": ending("grant", app.grant.id.text),
        ]
    }

    func row(_ copied: AccountSettings.CopiedToken, _ strings: Strings) -> [String: Any] {
        [
            "name": copied.app ?? project,
            "facts": strings[CopiedTokenStrings.self].fact(copied.sign.kind, since(copied.sign.at, strings)),
        ]
    }

    func row(_ event: AuditEvent, _ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleUserStrings.self]
        var row: [String: Any] = [
            "kind": event.kind.rawValue, "at": moment(event.at, strings), "address": event.address ?? "–",
        ]
        let details = [event.clientID, event.target, event.reason].compactMap(\.self).joined(separator: " · ")
        if !details.isEmpty { row["details"] = details }
        row["actor"] = event.actor.map { actors[$0] ?? $0 } ?? text.byUser
        return row
    }

    private func since(_ time: UnixTime, _ strings: Strings) -> String {
        strings.time.since(Int(max(0, now.seconds(since: time))))
    }

    private func used(_ time: UnixTime?, _ strings: Strings) -> String {
        let text = strings[ConsoleUserStrings.self]
        return time.map { text.usedAt(since($0, strings)) } ?? text.neverUsed
    }

    private func place(_ origin: SessionOrigin, _ strings: Strings) -> String {
        let country = origin.country.map { CountryName.text($0, in: strings.language.code) }
        let place = [country, origin.address].compactMap(\.self).joined(separator: " · ")
        return place.isEmpty ? "–" : place
    }

    /// The fields of the form that ends a session.
    private func ending(_ kind: String, _ value: String) -> [String: Any] {
        mayHelp ? ["kind": kind, "value": value, "endAction": sessionForm.action, "endMark": sessionForm.csrf] : [:]
    }
}
