internal import Account
internal import KeyturnBase
internal import Model
internal import OAuth
internal import SignIn

/// Background work: rotates keys, writes audit events, removes expired rows, and notices changes that another process
/// made to the database.
public struct Upkeep: Sendable {
    private let services: IdentityServices
    private let report: @Sendable (Event) -> Void
    private static let batch = 500
    /// Grants that are looked at in one transaction, and transactions in a minute.
    private static let stretch = 10_000
    private static let stretchesMax = 20
    /// The audit log's end is signed once an hour.
    private static let checkpointTicks = 3_600

    /// Events for the operator.
    public enum Event: Sendable {
        case keysAdded([String])
        /// They are not in the audit log, which says how many.
        case auditEventsDropped(refusals: Int, others: Int)
        case removed(Int)
        /// Connections that cannot be opened, because a secret is missing that sealed them.
        case unreadableConnections([String])
        /// This machine's clock is so many seconds ahead of the database's; negative: behind.
        case clockDiffers(Int64)
        /// A task failed; it will be tried again.
        case failed(task: String, any Error)
    }

    /// - Parameter report: called for everything worth a log line.
    public init(_ services: IdentityServices, report: @escaping @Sendable (Event) -> Void) {
        self.services = services
        self.report = report
    }

    /// Runs until it is cancelled, then writes the remaining audit events.
    public func run() async {
        // Beside the rest, because it waits for others.
        async let rounds: Void = watchDirectories()
        async let changes: Void = watchChanges()
        var ticks = 0
        while !Task.isCancelled {
            if ticks % 60 == 0 { await maintainKeys() }
            if ticks % 60 == 15 { await compareClocks() }
            if ticks % Limits.hashCostSeconds == 5 { await readHashCosts() }
            if ticks % 60 == 30 { await removeExpired() }
            await flushAudit()
            if ticks % Self.checkpointTicks == 45 { await signAudit() }
            ticks += 1
            try? await Task.sleep(for: .seconds(1))
        }
        _ = await (rounds, changes)
        await flushAudit(isLast: true)
        await signAudit()
    }

    /// Reads again what another process changed. Where servers share a database, a quarter of a second is the longest
    /// that one does not know what another one did.
    private func watchChanges() async {
        let pause = Duration.milliseconds(services.stores.isShared ? 250 : 1_000)
        var revision: Int64?
        while !Task.isCancelled {
            revision = await reloadIfChanged(since: revision)
            try? await Task.sleep(for: pause)
        }
    }

    private func compareClocks() async {
        do {
            let difference = try await services.readiness.compareClocks() ?? 0
            if abs(difference) > Limits.clockDifferenceNoted { report(.clockDiffers(difference)) }
        } catch {
            report(.failed(task: "clocks", error))
        }
    }

    /// Looks for password hashes from elsewhere, which an import in another process may have brought.
    private func readHashCosts() async {
        do {
            try await services.passwords.costs.reload()
        } catch {
            report(.failed(task: "hash costs", error))
        }
    }

    /// Asks directories every now and then whether their users are still there.
    private func watchDirectories() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Limits.directoryRoundSeconds))
            guard !Task.isCancelled else { return }
            do {
                _ = try await services.directoryRounds.run()
            } catch {
                report(.failed(task: "directories", error))
            }
        }
    }

    /// Makes every key that is due, including those that the first start left for later.
    public func maintainKeys() async {
        do {
            let added = try await services.keys.maintain(services.signatureAlgorithms)
            if !services.readiness.hasWrongClock {
                try await services.keys.removeExpired()
            }
            if !added.isEmpty { report(.keysAdded(added)) }
        } catch {
            report(.failed(task: "signing keys", error))
        }
    }

    /// Removes in small batches, until a batch is not full. A server whose clock is wrong leaves that to the others: a clock
    /// that is ahead would end what is alive.
    public func removeExpired() async {
        guard !services.readiness.hasWrongClock else { return }
        do {
            var total = 0
            var removed: Int
            repeat {
                removed = try await services.stores.maintenance.removeExpired(
                    limit: Self.batch, at: services.ambient.now())
                total += removed
            } while removed >= Self.batch && !Task.isCancelled
            if let registrar = services.registrar {
                repeat {
                    removed = try await registrar.removeUnused(limit: Self.batch)
                    total += removed
                } while removed >= Self.batch && !Task.isCancelled
            }
            if let keyService = services.keyService {
                repeat {
                    removed = try await keyService.removeUnused(limit: Self.batch)
                    total += removed
                } while removed >= Self.batch && !Task.isCancelled
            }
            total += try await walkGrants()
            total += try await removeAnonymousUsers()
            let now = services.ambient.now()
            repeat {
                removed = try await services.stores.audit.remove(
                    before: now - Int64(services.project.auditRetentionDays) * 86_400, limit: Self.batch, at: now)
                total += removed
            } while removed >= Self.batch && !Task.isCancelled
            if total > 0 { report(.removed(total)) }
        } catch {
            report(.failed(task: "clean-up", error))
        }
    }

    /// Goes on through the grants, for half of the time at most: hundreds of millions are seen within a day.
    private func walkGrants() async throws(StoreError) -> Int {
        var total = 0
        for _ in 0..<Self.stretchesMax where !Task.isCancelled {
            let start = ContinuousClock.now
            guard
                let removed = try await services.stores.maintenance.removeEndedGrants(
                    rows: Self.stretch, at: services.ambient.now())
            else { break }
            total += removed
            try? await Task.sleep(for: ContinuousClock.now - start)
        }
        return total
    }

    /// Removes anonymous users who had no session for as long as the project says: a bounded number in each round.
    private func removeAnonymousUsers() async throws(StoreError) -> Int {
        let limit = Limits.anonymousRemovalBatch
        var total = 0
        for _ in 0..<Limits.anonymousRemovalBatchesMax where !Task.isCancelled {
            let now = services.ambient.now()
            let round = try await services.stores.anonymous.removeUnseen(
                since: now - Int64(services.project.anonymousPurgeDays) * 86_400, limit: limit, at: now)
            for user in round.removed {
                services.auditLog.record(AuditEvent(.userDeleted, at: now, userID: user, reason: "anonymous_unseen"))
            }
            total += round.removed.count
            if round.examined < limit { break }
        }
        return total
    }

    private func flushAudit(isLast: Bool = false) async {
        do {
            let dropped = try await services.auditLog.flush(isLast: isLast)
            guard dropped.refusals + dropped.others > 0 else { return }
            report(.auditEventsDropped(refusals: dropped.refusals, others: dropped.others))
        } catch {
            report(.failed(task: "audit", error))
        }
    }

    /// Signs the end of the audit log's chain, if there is something new.
    public func signAudit() async {
        do {
            let head = try await services.stores.audit.head()
            guard head.number > 0 else { return }
            try await services.stores.audit.add(
                AuditCheckpoint(head, at: services.ambient.now(), key: services.auditKey))
        } catch {
            report(.failed(task: "audit", error))
        }
    }

    private func reloadIfChanged(since last: Int64?) async -> Int64? {
        do {
            let revision = try await services.stores.maintenance.revision()
            services.readiness.noteAnswer()
            // The first look reads all: something may have changed since the server was prepared.
            guard revision != last else { return last }
            try await services.clients.reload()
            try await services.directory.reload()
            try await services.connections.reload()
            reportUnreadable()
            try await services.keys.reload()
            services.accessTokens.forgetAll()
            return revision
        } catch {
            report(.failed(task: "reload", error))
            return last
        }
    }

    private func reportUnreadable() {
        let unreadable = services.connections.unreadable
        if !unreadable.isEmpty { report(.unreadableConnections(unreadable)) }
    }
}
