package import KeyturnBase
internal import KeyturnWire
public import Model

/// The account that a request works with, and the accounts it may read: a token's subject, or a user for whom it may
/// act.
public struct UserAccess: Sendable {
    private let stores: Stores
    private let clients: ClientDirectory
    private let directory: AccessDirectory
    private let audit: any AuditLog
    private let ambient: Ambient

    package init(
        stores: Stores, clients: ClientDirectory, directory: AccessDirectory, audit: any AuditLog, ambient: Ambient
    ) {
        self.stores = stores
        self.clients = clients
        self.directory = directory
        self.audit = audit
        self.ambient = ambient
    }

    /// The account's owner.
    public enum Subject: Sendable {
        /// A client's own; in a tenant: its account there. `mayAct`: whether the token may look at others.
        case client(Client, tenant: String?, mayAct: Bool)
        /// A user's, and how much of it the token shows.
        case user(Account, Sight)
    }

    /// How much of a user a token shows.
    public enum Sight: Hashable, Sendable {
        /// Everything: the asking client may act for the user.
        case everything
        /// The claims of its scopes, and the user's name and login ID.
        case nameAndLogin
        /// The claims of its scopes.
        case scopes
    }

    /// Why a request is refused.
    public enum Problem: Error, Hashable, Sendable {
        /// The token's subject does not exist any more.
        case gone
        /// The token's client or its user may not act for that user, or there is no such user.
        case mayNotAct
    }

    /// The subject of a request.
    ///
    /// - Parameters:
    ///   - actingAs: the user to act for (`As-User`); `nil`: the token's own subject. Both identities are audited, also
    ///     when it is refused.
    ///   - address: where the request comes from.
    /// - Throws: ``Problem``, ``StoreError``.
    public func subject(
        of token: PresentedAccessToken, actingAs: String?, from address: NetworkAddress?
    ) async throws -> Subject {
        let isClients = token.userID == nil
        let clientID = isClients ? String(token.subject.dropFirst(UserID.clientPrefix.count)) : token.clientID
        guard let client = clients.client(clientID) else { throw Problem.gone }
        let own = isClients ? nil : try await stores.users.account(UserID(rawValue: token.subject))
        guard isClients || own?.user.status == .active else { throw Problem.gone }
        guard let actingAs, actingAs != own?.user.id.rawValue else {
            return own.map { .user($0, Self.isOfBoxService(token, client) ? .nameAndLogin : .scopes) }
                ?? .client(client, tenant: token.tenantID, mayAct: Self.isFirstHand(token))
        }
        let target = try await stores.users.account(UserID(rawValue: actingAs))
        guard Self.isFirstHand(token), let target, target.user.status == .active,
            client.mayActFor(target, in: token.tenantID), mayAct(own, for: target, isClients)
        else {
            record(.actingRefused, target?.user.id, token, address)
            throw Problem.mayNotAct
        }
        record(.actedForUser, target.user.id, token, address)
        // A user's token shows no more about others than about that user.
        return .user(target, isClients ? .everything : .scopes)
    }

    /// A user by their identifier: the subject itself, or one for whom its client may act.
    ///
    /// - Returns: `nil` if there is none, or the asking client may not know.
    /// - Throws: ``StoreError``.
    public func user(
        _ id: String, as subject: Subject, of token: PresentedAccessToken, from address: NetworkAddress?
    ) async throws(StoreError) -> Subject? {
        switch subject {
        case .user(let account, _):
            return account.user.id.rawValue == id ? subject : nil
        case .client(let client, let tenant, let mayAct):
            guard id != TokenIssuer.subject(ofClient: client.id) else { return subject }
            guard mayAct, !client.mayImpersonate.isEmpty,
                let account = try await stores.users.account(UserID(rawValue: id)),
                client.mayActFor(account, in: tenant)
            else { return nil }
            record(.actedForUser, account.user.id, token, address)
            return .user(account, .everything)
        }
    }

    /// The name of a tenant, for its members.
    public func tenant(_ id: String) -> Tenant? { directory.tenant(id) }

    /// Whether a token carries its client's right to act for others. An exchanged one was made to allow less and to be
    /// handed on; one with an actor speaks only for its subject.
    private static func isFirstHand(_ token: PresentedAccessToken) -> Bool {
        token.ancestors.isEmpty && token.actor == nil
    }

    /// Whether a client got a token for a user by its own right, without exchange, like Box's applications: those ask
    /// who it is and never for a scope. By `As-User` such a client would see more.
    private static func isOfBoxService(_ token: PresentedAccessToken, _ client: Client) -> Bool {
        token.ancestors.isEmpty && token.userEpoch != nil && client.authenticationMethod == .clientSecretPost
            && token.actor?["sub"]?.stringValue == TokenIssuer.subject(ofClient: client.id)
    }

    /// A client's own token needs only the client's right. A user's token needs the user's right as well, or every user
    /// of the client could act for all others.
    ///
    /// Who set up a way to sign in to the user's account may be the one who asks, with a role that came since.
    private func mayAct(_ own: Account?, for target: Account, _ isClients: Bool) -> Bool {
        guard let own else { return isClients }
        guard own.user.mayActAsOthers else { return false }
        let rights = directory.entitlements(
            of: directory.memberships(own.memberships, of: own.user.id, vouchedBy: nil))
        let needed = ImpersonationRule.permission
        return rights.everywhere.permissions.contains(needed)
            || rights.tenants.contains { tenant, rights in
                rights.permissions.contains(needed) && target.memberships.tenants[tenant] != nil
            }
    }

    /// - Parameter target: `nil` for a user who does not exist: made-up identifiers are not recorded.
    private func record(
        _ kind: AuditEvent.Kind, _ target: UserID?, _ token: PresentedAccessToken, _ address: NetworkAddress?
    ) {
        audit.recordOnce(
            AuditEvent(
                kind, at: ambient.now(), userID: target, clientID: token.clientID, address: address?.text,
                actor: token.subject))
    }
}
