internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// A page of the audit log.
struct ConsoleAuditPage: ConsolePage {
    struct Event: Sendable {
        let number: Int64
        /// Such as `sign_in.failed`.
        let action: String
        let at: UnixTime
        let secondsAgo: Int
        /// The user's identifier.
        let user: String?
        /// A login ID that the user has now.
        let userName: String?
        /// Who did it to the user or the target.
        let actor: String?
        let client: String?
        let address: String?
        let reason: String?
        let target: String?
        let changes: [AuditChange]
        /// Whether there were values, which went with the user.
        let isErased: Bool
    }

    /// The newest signed checkpoint.
    struct Checkpoint: Sendable {
        let number: Int64
        let secondsAgo: Int
    }

    static let exportPath = "/admin/audit/export"
    static let template = PageTemplate.consoleAudit
    static let section = ConsoleSection.audit
    let visitor: ConsoleVisitor
    let filter: ConsoleAuditFilter
    /// Whether it begins with the newest event.
    let isFirst: Bool
    let events: [Event]
    /// The last number of this page, if there are older events.
    let next: Int64?
    let checkpoint: Checkpoint?

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleAuditStrings.self]
        let console = strings[ConsoleStrings.self]
        let path = Self.section.path
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "path": path, "search": console.search,
            "actionFilter": filter.action, "userFilter": filter.user, "actorFilter": filter.actor, "words": filter.text,
            "from": filter.from ?? "", "to": filter.to ?? "",
            "events": events.map { row($0, text, strings) }, "isEmpty": events.isEmpty,
            "export": ConsoleMiddleware.address(Self.exportPath, filter.query),
            "kinds": Self.kinds.map(\.rawValue),
            "checkpoint": checkpoint.map { text.checkpoint($0.number, strings.time.since($0.secondsAgo)) }
                ?? text.noCheckpoint,
        ]
        // Older events do not change, so only the first page is renewed.
        if isFirst { values["live"] = 5 }
        if !isFirst { values["newest"] = ConsoleMiddleware.address(path, filter.query) }
        if let next {
            let address = ConsoleMiddleware.address(path, filter.query)
            values["older"] = "\(address)\(address.contains("?") ? "&" : "?")before=\(next)"
        }
        return values
    }

    private func row(_ event: Event, _ text: ConsoleAuditStrings, _ strings: Strings) -> [String: Any] {
        var row: [String: Any] = [
            "action": event.action, "since": strings.time.since(event.secondsAgo),
            "time": Date(timeIntervalSince1970: TimeInterval(event.at.rawValue)).formatted(.iso8601),
            "details": [event.reason, event.target, event.client].compactMap(\.self),
        ]
        row["changes"] = event.changes.map { change in
            [
                "field": change.field, "before": change.before ?? text.noValue, "after": change.after ?? text.noValue,
            ]
        }
        row["hasChanges"] = !event.changes.isEmpty
        row["changed"] = text.changed(event.changes.count)
        row["isErased"] = event.isErased
        row["user"] = event.user
        row["userName"] = event.userName ?? event.user
        row["actor"] = event.actor ?? "–"
        row["address"] = event.address ?? "–"
        return row
    }

    /// What is worth looking for, for the list of suggestions.
    private static let kinds: [AuditEvent.Kind] = [
        .signedIn, .signInFailed, .signInThrottled, .signInDisputed, .passwordChanged, .addressChanged,
        .authenticatorAdded, .authenticatorRemoved, .passkeyAdded, .passkeyRemoved, .refreshReplayed, .refreshShadowed,
        .codeReplayed,
        .grantIssued, .grantEnded, .userCreated, .userUpdated, .userStatusChanged, .userDeleted, .userLoggedOut,
        .userRolesChanged, .operatorGranted, .operatorRemoved, .clientRegistered, .clientChanged, .clientRemoved,
        .clientSecretChanged, .signingKeyAdded, .signingKeyRetired, .signingKeyDropped, .connectionChanged,
        .connectionRemoved, .databaseBackedUp, .databaseRestored, .projectExported, .projectImported,
    ]
}
