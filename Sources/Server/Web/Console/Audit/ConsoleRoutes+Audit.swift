internal import Authority
internal import Account
internal import Foundation
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import NIOCore
internal import SignIn

extension ConsoleSection {
    static let audit: ConsoleSection = .init(
        path: "/admin/audit", title: { $0[ConsoleAuditStrings.self].title },
        routes: { routes in
            [
                routes.page(.audit, for: .readAudit, routes.showAudit),
                routes.page(.audit, at: ConsoleAuditPage.exportPath, for: .readAudit, routes.exportAudit),
            ]
        })
}

/// `/admin/audit`: the audit log, a page at a time by the numbers of its events, so that the last page costs what the
/// first one does.
extension ConsoleRoutes {
    /// Events on a page.
    private static let eventsOfPage = 50
    /// Events of one file. `keyturn audit export` writes all.
    private static let eventsOfFileMax = 10_000

    @Sendable func showAudit(_ opened: ConsoleRequest) async throws -> Response {
        let filter = ConsoleAuditFilter(opened.fields)
        var records: [AuditRecord] = []
        if var query = try await query(filter) {
            query.before = opened.value("before").flatMap(Int64.init)
            query.limit = Self.eventsOfPage + 1
            records = try await services.auditRecords(query)
        }
        let shown = records.prefix(Self.eventsOfPage)
        let page = ConsoleAuditPage(
            visitor: frame.visitor(opened), filter: filter, isFirst: opened.value("before") == nil,
            events: try await rows(shown), next: records.count > shown.count ? shown.last?.number : nil,
            checkpoint: try await services.stores.audit.checkpoints().last.map {
                .init(number: $0.number, secondsAgo: frame.age($0.at))
            })
        return frame.page(page, opened)
    }

    /// JSON Lines as `keyturn audit export` writes them, the newest of what the filter finds.
    @Sendable func exportAudit(_ opened: ConsoleRequest) async throws -> Response {
        let filter = ConsoleAuditFilter(opened.fields)
        var lines = ByteBuffer()
        var count = 0
        if var query = try await query(filter) {
            query.limit = Limits.auditOfPageMax
            while count < Self.eventsOfFileMax {
                let records = try await services.auditRecords(query)
                for record in records {
                    lines.writeString(String(decoding: record.json.serialized, as: UTF8.self) + "\n")
                }
                count += records.count
                guard records.count == query.limit else { break }
                query.before = records.last?.number
            }
        }
        services.auditLog.record(
            AuditEvent(
                .auditExported, at: services.ambient.now(), address: opened.owner.address?.text,
                reason: String(count), actor: opened.actor.name))
        return Response(
            status: .ok,
            headers: [
                .contentType: "application/jsonl; charset=utf-8", .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"audit.jsonl\"",
            ], body: lines)
    }

    /// - Returns: `nil` if no event can match.
    private func query(_ filter: ConsoleAuditFilter) async throws -> AuditQuery? {
        var query = AuditQuery()
        query.kinds = filter.action.isEmpty ? [] : [AuditEvent.Kind(rawValue: filter.action)]
        query.text = filter.text.isEmpty ? nil : filter.text
        if !filter.actor.isEmpty {
            let found = try? await services.managedUsers.find(filter.actor)
            query.actors = [filter.actor] + (found.map { [$0.user.id.rawValue] } ?? [])
        }
        if !filter.user.isEmpty {
            let found = try? await services.managedUsers.find(filter.user)
            query.users = [found?.user.id ?? UserID(rawValue: filter.user)]
        }
        query.from = filter.from.flatMap(Self.day)
        query.to = filter.to.flatMap(Self.day).map { $0 + 86_399 }
        return query
    }

    private static func day(_ text: String) -> UnixTime? {
        let days = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
        guard let date = try? Date(text, strategy: days) else { return nil }
        return UnixTime(rawValue: Int64(date.timeIntervalSince1970))
    }

    /// The actors by their names, each looked up once.
    private func rows(_ records: some Sequence<AuditRecord>) async throws -> [ConsoleAuditPage.Event] {
        var names: [String: String] = [:]
        var rows: [ConsoleAuditPage.Event] = []
        for record in records {
            let event = record.event
            if let actor = event.actor, names[actor] == nil {
                names[actor] = try await services.stores.users.account(UserID(rawValue: actor))?.shownName ?? actor
            }
            rows.append(
                ConsoleAuditPage.Event(
                    number: record.number, action: event.kind.rawValue, at: event.at,
                    secondsAgo: frame.age(event.at), user: event.userID?.rawValue,
                    userName: record.loginIDs.first.map(VisibleText.shown), actor: event.actor.map { names[$0] ?? $0 },
                    client: event.clientID, address: event.address, reason: event.reason, target: event.target,
                    changes: event.changes?.list ?? [],
                    isErased: event.changes == nil && record.changesDigest != nil))
        }
        return rows
    }
}
