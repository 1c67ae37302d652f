public import Authority
public import KeyturnBase
public import KeyturnWire
public import Model
internal import SignIn

/// Lost factors, new passwords, invitations, and accounts of the same user.
extension ManagedUserAccess {
    /// Removes a user's authenticator app, which is lost. The user is told.
    ///
    /// - Returns: whether there was one.
    public func removeAuthenticators(of account: Account, by actor: Actor) async throws -> Bool {
        let allowed = try permit(Acts.RemoveAuthenticator.self, on: account, by: actor)
        let user = account.user.id
        guard try await methods.authenticators.remove(of: user, by: allowed) else { return false }
        record(.authenticatorRemoved, user, reason: AuthenticationMethod.totp.word, by: actor)
        return true
    }

    /// Removes a user's recovery codes.
    public func removeRecoveryCodes(of account: Account, by actor: Actor) async throws {
        let allowed = try permit(Acts.RemoveAuthenticator.self, on: account, by: actor)
        let user = account.user.id
        let count = try await stores.recoveryCodes.count(of: user)
        try await methods.recoveryCodes.remove(by: allowed)
        if count > 0 { record(.recoveryCodesRemoved, user, by: actor) }
    }

    /// Removes a user's authenticator app and recovery codes after their loss. Passkeys stay. The user is told.
    public func removeSecondFactor(of account: Account, by actor: Actor) async throws {
        _ = try await removeAuthenticators(of: account, by: actor)
        try await removeRecoveryCodes(of: account, by: actor)
    }

    /// Removes a passkey of a user, who is told.
    ///
    /// - Returns: `false` if the user has no such passkey.
    public func removePasskey(_ id: PasskeyID, of account: Account, by actor: Actor) async throws -> Bool {
        let allowed = try permit(Acts.RemovePasskey.self, on: account, by: actor)
        return try await methods.passkeys.remove(id, of: account.user.id, by: actor.name, allowed)
    }

    /// Removes every passkey of a user, who is told.
    public func removePasskeys(of account: Account, by actor: Actor) async throws {
        let allowed = try permit(Acts.RemovePasskey.self, on: account, by: actor)
        _ = try await methods.passkeys.removeAll(of: account.user.id, by: actor.name, allowed)
    }

    /// Sets a user's password. The policy is the caller's responsibility.
    ///
    /// - Parameter mustReplace: the password permits only its own replacement.
    /// - Throws: the rulebook's `Denial`; ``MethodProblem/managementUserNotFound``; ``StoreError``.
    public func setPassword(
        of loginID: String, to password: Secret, mustReplace: Bool, by actor: Actor
    ) async throws {
        let account = try await named(loginID)
        let allowed = try permit(Acts.SetPassword.self, on: account, by: actor)
        try await methods.passwords.set(
            password, of: account, mustReplace: mustReplace, by: allowed, named: actor.name)
    }

    /// Expires a user's password: the user must replace it.
    ///
    /// - Throws: as ``setPassword(of:to:mustReplace:by:)``.
    public func expirePassword(of loginID: String, by actor: Actor) async throws {
        let account = try await named(loginID)
        let allowed = try permit(Acts.ExpirePassword.self, on: account, by: actor)
        if try await stores.passwords.expire(by: allowed, at: ambient.now()) {
            record(.passwordExpired, account.user.id, by: actor)
        }
    }

    /// The user of a login ID, and of nothing else: what is asked about is what is changed.
    private func named(_ loginID: String) async throws -> Account {
        guard let identifier = Identifier(loginID: loginID),
            let account = try await stores.users.account(identifier)
        else { throw MethodProblem.managementUserNotFound }
        return account
    }

    /// Where ``sendPasswordReset(to:expiring:by:from:)`` sends the message; `nil`: the user has no address for it.
    public func resetAddress(of account: Account) -> Identifier? { resetWay(of: account)?.address }

    /// Sends a user the link to a new password, with a code to enter instead.
    ///
    /// - Parameters:
    ///   - isExpiring: whether the present password permits only its own replacement from now on.
    ///   - address: the operator's network, whose limits are charged.
    /// - Throws: the rulebook's `Denial`; ``MethodProblem/invalidRequest`` if the user has no address for it;
    ///   ``MethodProblem/rateLimited(retryAfterSeconds:)``.
    public func sendPasswordReset(
        to account: Account, isExpiring: Bool, by actor: Actor, from address: NetworkAddress?
    ) async throws {
        let allowed = try permit(Acts.ExpirePassword.self, on: account, by: actor)
        guard let way = resetWay(of: account) else {
            throw MethodProblem.invalidRequest.saying(
                "The user may not sign in, or has no address to which the message could go")
        }
        let user = account.user.id
        _ = try await methods.sendReset(
            VerificationRequest(
                .passwordReset, loginID: way.loginID.value, method: way.method,
                options: LoginOptions(locale: account.user.claims["locale"]?.stringValue), from: address))
        record(.passwordResetSent, user, by: actor)
        if isExpiring, try await stores.passwords.expire(by: allowed, at: ambient.now()) {
            record(.passwordExpired, user, by: actor)
        }
    }

    /// The login ID to reset by: mail before text messages, verified ones before others.
    private func resetWay(of account: Account) -> (loginID: Identifier, method: DeliveryMethod, address: Identifier)? {
        let names = account.identifiers.sorted {
            ($0.value == .verified ? 0 : 1, $0.key.value) < ($1.value == .verified ? 0 : 1, $1.key.value)
        }.map(\.key)
        for method in [DeliveryMethod.email, .sms] {
            for name in names {
                if let address = Destination.address(of: account, loginID: name, method: method) {
                    return (name, method, address)
                }
            }
        }
        return nil
    }

    /// Adds a user.
    ///
    /// - Parameter isInvited: whether the user gets an invitation, and may sign in after accepting it.
    /// - Throws: ``MethodProblem/invalidArguments`` if an invitation has no address to go to; otherwise as
    ///   ``ManagedUsers/create(_:isTest:by:)``.
    public func create(_ body: MethodBody, isInvited: Bool, by actor: Actor) async throws -> Account {
        var members = body.members
        if isInvited {
            let loginID = try Identifier(loginID: body.requiredText("loginId"))
            guard try body.text("email", "phone") != nil || [.email, .phone].contains(loginID?.kind) else {
                throw MethodProblem.invalidArguments.saying(
                    "An invitation needs an email address or a phone number")
            }
            // Sent below, where it can go.
            members.merge(["invite": true, "sendMail": false, "sendSMS": false]) { $1 }
        }
        let account = try await users.create(MethodBody(members), isTest: false, by: actor)
        if isInvited { try await sendInvitation(to: account, by: actor) }
        return account
    }

    /// Sends an invited user the invitation, also once more: by mail, or by text message if there is no mailbox.
    ///
    /// - Throws: ``MethodProblem/invalidRequest`` if the user is not invited, or has no address.
    public func sendInvitation(to account: Account, by actor: Actor) async throws {
        // The invitation opens the account, as a reset does.
        try require(.expirePassword, on: account, by: actor)
        guard account.user.status == .invited else {
            throw MethodProblem.invalidRequest.saying("Only invited users get an invitation")
        }
        let isMail = account.email != nil
        guard isMail || account.phone != nil else {
            throw MethodProblem.invalidRequest.saying("An invitation needs an email address or a phone number")
        }
        try await users.invite(
            account, MethodBody(["sendMail": .bool(isMail), "sendSMS": .bool(!isMail)]), by: actor,
            attempt: "/\(ambient.randomToken(byteCount: 8))")
        record(.userInvited, account.user.id, by: actor)
    }

    /// Merges another account of the same user into this one. The other one is removed with its sessions; its verified
    /// login IDs, tenants, roles, access keys and identities at providers go over, its password and factors do not.
    ///
    /// A stranger may have made the account that stays, if no address of it was proved: its password and factors go first,
    /// and its addresses with the merge.
    ///
    /// - Throws: the rulebook's `Denial`; ``MethodProblem/invalidRequest`` unless both may sign in and the other one has a
    ///   verified address, and for the last owner.
    public func merge(_ other: Account, into account: Account, by actor: Actor) async throws -> Account {
        let proved = other.identifiers.filter { $0.value == .verified && $0.key.kind != .username }.keys
        try ManagedUsers.requireOther(other, actor)
        let asks = try permit(Acts.MergeAccounts.self, on: account, by: actor)
        let gives = try permit(Acts.GiveUpAccount.self, on: other, by: actor)
        guard other.user.id != account.user.id, let address = proved.min(by: { $0.value < $1.value }),
            account.user.status == .active, [.active, .invited].contains(other.user.status)
        else {
            throw MethodProblem.invalidRequest.saying(
                "Two users can be merged if both may sign in and the other one has a verified address")
        }
        try users.requireOwner(
            toGive: account.memberships.union(other.memberships), besides: account.memberships, by: actor)
        let now = ambient.now()
        let merged: Account
        do throws(StoreError) {
            if !account.hasProvenAddress {
                // The last owner could not be merged away, and this account would have lost its password for nothing.
                guard other.consoleRole != .owner else { throw StoreError(.conflict) }
                try await stores.passwords.void(
                    by: try users.project.rulebook.permission(
                        Acts.VoidCredentials.self, to: actor.caller, on: account.subject), keeping: nil, at: now)
            }
            merged = try await stores.users.merge(
                by: asks, with: gives, proved: address, keeping: .asking, at: now)
        } catch {
            switch error.code {
            case .missing: throw MethodProblem.managementUserNotFound
            case .conflict: throw MethodProblem.invalidRequest.saying("The two users cannot be merged")
            case .forbidden where error.cause is LastOwner: throw MethodProblem.lastOwner
            case .forbidden, .full, .unavailable: throw error
            }
        }
        record(
            .userMerged, account.user.id, target: other.user.id.rawValue,
            changes: .between(account, merged, ambient), by: actor)
        for former in [account, other] { await notices.send(.accountsMerged, to: former, from: .unknown, at: now) }
        return merged
    }

    /// Disables a user, which ends every session, or lets the user sign in again.
    ///
    /// - Throws: ``MethodProblem/invalidRequest`` for the operator's own account, and for an invited user who would be
    ///   active without having verified an address.
    public func setStatus(_ status: User.Status, of account: Account, by actor: Actor) async throws {
        try ManagedUsers.requireOther(account, actor)
        let act: Act = status == .active ? .restoreAccess : .changeStatus
        try require(act, on: account, by: actor)
        guard status != .active || account.user.status != .active else { return }
        guard status != .active || account.user.status != .invited else {
            throw MethodProblem.invalidRequest.saying("An invited user becomes active by accepting the invitation")
        }
        _ = try await users.change(
            account, AuditEvent.Kind.userStatusChanged.rawValue, as: act, by: actor
        ) {
            $0.user.status = status
        }
    }

    /// Removes a user with everything that belongs to it.
    ///
    /// - Parameter name: what the operator typed to confirm: a login ID of the user, or the identifier.
    /// - Throws: ``MethodProblem/invalidRequest`` for another text, and for the operator's own account.
    public func delete(_ account: Account, confirmedBy name: String, by actor: Actor) async throws {
        try ManagedUsers.requireOther(account, actor)
        try require(.deleteAccount, on: account, by: actor)
        // As the page writes it, where not everything in it is seen.
        let isNamed =
            Identifier(loginID: name).map { account.identifiers[$0] != nil } ?? false
            || account.identifiers.keys.contains { $0.shown == name }
        guard isNamed || name == account.user.id.rawValue else {
            throw MethodProblem.invalidRequest.saying("The typed text is not a login ID of this user")
        }
        try await users.delete(MethodBody(["userId": .string(account.user.id.rawValue)]), by: actor)
    }
}
