internal import Foundation
public import KeyturnBase
internal import KeyturnWire

/// Tells users what changed about their accounts: when, from where, and what to do if it was not them.
///
/// The change has been made when a notice is sent, so a notice that cannot be queued is written to the audit log and
/// does not fail the request.
public struct SecurityNotices: Sendable {
    let project: Project
    let stores: Stores
    let sender: any MessageSender
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        project: Project, stores: Stores, sender: any MessageSender, audit: any AuditLog, ambient: Ambient
    ) {
        self.project = project
        self.stores = stores
        self.sender = sender
        self.audit = audit
        self.ambient = ambient
    }

    /// Tells the owner of an account.
    ///
    /// - Parameters:
    ///   - address: where the request that made the change came from.
    public func send(
        _ notice: SecurityNotice, to user: UserID, from address: NetworkAddress?, at now: UnixTime
    ) async {
        do throws(StoreError) {
            guard let account = try await stores.users.account(user) else { return }
            await send(notice, to: account, from: SessionOrigin(address: address?.text, device: nil), at: now)
        } catch {
            failed(notice, user, "store", at: now)
        }
    }

    /// Tells the owner of an account that is already loaded.
    ///
    /// Every verified email address gets the notice. A telephone gets it if there is no email address but new ones, since
    /// text messages cost money, and of a recovery and a deletion in any case.
    ///
    /// - Parameter account: as it was before the change, so that a removed address is told as well.
    public func send(
        _ notice: SecurityNotice, to account: Account, from origin: SessionOrigin, at now: UnixTime
    ) async {
        let new = await newAddresses(of: account, at: now)
        let messages = messages(notice, to: account, besides: new, from: origin, at: now)
        guard !messages.isEmpty else { return }
        await queue(messages, notice, of: account, countedAs: account.user.id.rawValue, at: now)
    }

    /// The addresses that were verified a short while ago, where that decides about telephones.
    private func newAddresses(of account: Account, at now: UnixTime) async -> Set<Identifier> {
        let proved = account.provedAddresses
        guard Set(proved.map(\.kind)).count > 1 else { return [] }
        do throws(StoreError) {
            return try await stores.recoveries.addresses(
                of: account.user.id, provedAfter: now - Limits.recoveryProofAgeSeconds)
        } catch {
            // One text message too many is better than none.
            return proved
        }
    }

    /// Tells a user of a request for a sign-in.
    ///
    /// - Parameters:
    ///   - account: `nil`: no user sees the request. The work is the same, with a message that is not sent: the time of the
    ///     answer does not tell whether there was a user.
    ///   - key: the user's identifier, or what stands for an unknown one.
    package func signInRequested(
        _ request: SecurityNotice.SignInRequest, to account: Account?, countedAs key: String,
        from origin: SessionOrigin, at now: UnixTime
    ) async {
        let notice = SecurityNotice.signInRequested(request)
        let messages = account.map { self.messages(notice, to: $0, from: origin, at: now) } ?? []
        let decoy = OutgoingMessage(
            kind: .signInRequested, channel: project.hasPushService ? .push : .email, to: "decoy@example.invalid",
            values: [MessageValue.appName: project.name, MessageValue.when: now.minuteText],
            links: [project.issuer + "/settings/approvals"], idempotencyKey: ambient.randomToken(byteCount: 16),
            isDecoy: true)
        // What no user sees does not use up what a user is told of.
        await queue(
            messages.isEmpty ? [decoy] : messages, notice, of: account,
            countedAs: account == nil ? "unseen:\(key)" : key, insteadOfTooMany: [decoy], at: now)
    }

    /// Puts the messages of a notice into the queue, in one transaction.
    ///
    /// - Parameter others: what is put there once there were too many notices of this kind.
    private func queue(
        _ messages: [OutgoingMessage], _ notice: SecurityNotice, of account: Account?, countedAs key: String,
        insteadOfTooMany others: [OutgoingMessage] = [], at now: UnixTime
    ) async {
        // One rate limit for each kind: a flood of one kind cannot suppress notices of another.
        let charge = RateLimitCharge(
            "notice:\(notice.kind.rawValue):\(key)", max: Limits.noticesOfKindMax,
            windowSeconds: Limits.noticeWindowSeconds)
        do throws(StoreError) {
            let isPaid = try await stores.rateLimits.spend([charge], at: now) == nil
            if !isPaid, let account { failed(notice, account.user.id, "too_many", at: now) }
            try await sender.enqueue(isPaid ? messages : others, at: now)
        } catch {
            if let account { failed(notice, account.user.id, "store", at: now) }
        }
    }

    /// The messages of a notice: one to every address, or to the operator's push service.
    ///
    /// - Parameter new: addresses that were verified a short while ago.
    package func messages(
        _ notice: SecurityNotice, to account: Account, besides new: Set<Identifier> = [], from origin: SessionOrigin,
        at now: UnixTime
    ) -> [OutgoingMessage] {
        if case .signInRequested = notice, project.hasPushService {
            return [message(notice, to: .device(of: account.user.id), account, origin, at: now)]
        }
        return account.noticeAddresses(for: notice, besides: new).map {
            message(notice, to: .address($0), account, origin, at: now)
        }
    }

    private enum Recipient {
        case address(Identifier)
        case device(of: UserID)

        var channel: DeliveryMethod {
            switch self {
            case .address(let address): address.kind == .phone ? .sms : .email
            case .device: .push
            }
        }

        var text: String {
            switch self {
            case .address(let address): address.value
            case .device(let user): user.rawValue
            }
        }
    }

    private func message(
        _ notice: SecurityNotice, to recipient: Recipient, _ account: Account, _ origin: SessionOrigin,
        at now: UnixTime
    ) -> OutgoingMessage {
        var values = notice.values
        values[MessageValue.appName] = project.name
        values[MessageValue.when] = now.minuteText
        values[MessageValue.device] = origin.device
        values[MessageValue.networkAddress] = origin.address
        values[MessageValue.country] = origin.country
        var link = project.issuer + "/settings"
        var expiresAt: UnixTime?
        if case .signInRequested(let request) = notice {
            link = project.issuer + "/settings/approvals"
            expiresAt = request.expiresAt
        }
        if case .recoveryBegun(let cancel, let readyAt) = notice {
            link = cancel.exposed()
            // It is sent as long as the recovery can be cancelled.
            expiresAt = max(readyAt, now + Limits.messageSeconds)
        }
        if case .newSignIn(let dispute, let end) = notice, case .address(let address) = recipient {
            (link, expiresAt) = (dispute(address).exposed(), end)
        }
        return OutgoingMessage(
            kind: notice.kind, channel: recipient.channel, to: recipient.text,
            locale: account.user.claims["locale"]?.stringValue, values: values, links: [link],
            idempotencyKey: ambient.randomToken(byteCount: 16), isDecoy: account.user.isTest, expiresAt: expiresAt)
    }

    private func failed(_ notice: SecurityNotice, _ user: UserID, _ reason: String, at now: UnixTime) {
        audit.record(AuditEvent(.noticeNotSent, at: now, userID: user, reason: reason, target: notice.kind.rawValue))
    }
}

extension Account {
    /// The addresses of a notice: verified ones only, at most ``Limits/noticeAddressesMax``.
    ///
    /// - Parameter new: addresses that were verified a short while ago. If each mailbox is one of them, a thief may have
    ///   added it, and telephones are told as well.
    func noticeAddresses(for notice: SecurityNotice, besides new: Set<Identifier> = []) -> [Identifier] {
        let known = [(email, isEmailVerified), (phone, isPhoneVerified)].filter(\.1)
        var proved = known.compactMap { $0.0.flatMap(Identifier.init(loginID:)) }
        let names = identifiers.filter { $0.key.kind != .username && $0.value == .verified }.keys
        proved += names.filter { !proved.contains($0) }.sorted { $0.value < $1.value }
        proved.removeAll { $0 == notice.newAddress }
        let mailboxes = proved.filter { $0.kind == .email }
        let isEach = notice.goesEverywhere || !mailboxes.isEmpty && new.isSuperset(of: mailboxes)
        var chosen = isEach ? proved : mailboxes.isEmpty ? Array(proved.prefix(1)) : mailboxes
        if let former = notice.formerAddress, proved.contains(former) {
            chosen.removeAll { $0 == former }
            chosen.insert(former, at: 0)
        }
        // Otherwise a thief could add so many addresses that the owner's is not told.
        return notice.goesEverywhere ? chosen : Array(chosen.prefix(Limits.noticeAddressesMax))
    }
}

extension UnixTime {
    /// Such as `2026-11-22 06:30 UTC`: the same in every language.
    public var minuteText: String {
        let time = Date(timeIntervalSince1970: TimeInterval(rawValue)).formatted(.iso8601)
        return "\(time.prefix(10)) \(time.dropFirst(11).prefix(5)) UTC"
    }
}

extension SecurityNotices {
    /// Tells the owner which verified addresses an operator changed: at most one notice of each kind.
    package func addresses(of account: Account, changedTo changed: Account, at now: UnixTime) async {
        let (before, after) = (account.provedAddresses, changed.provedAddresses)
        let gone = before.subtracting(after).sorted { $0.value < $1.value }
        let new = after.subtracting(before).sorted { $0.value < $1.value }
        if let old = gone.first {
            let next = new.first { $0.kind == old.kind }
            let notice = next.map { SecurityNotice.addressChanged(from: old, to: $0) } ?? .addressRemoved(old)
            await send(notice, to: account, from: .unknown, at: now)
        } else if let address = new.first {
            await send(.addressAdded(address), to: account, from: .unknown, at: now)
        }
    }
}
