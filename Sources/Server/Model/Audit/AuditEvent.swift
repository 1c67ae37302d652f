public import KeyturnBase

/// A security event: data in a store, not a line in a log. Holds no secret.
public struct AuditEvent: Hashable, Sendable {
    /// What happened. An open set with stable names.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The reason has the methods, the target what was unusual (``RiskSignal``).
        public static let signedIn = Self(rawValue: "sign_in.succeeded")
        /// The owner said that a sign-in was not theirs: its sessions ended.
        public static let signInDisputed = Self(rawValue: "sign_in.disputed")
        public static let signInFailed = Self(rawValue: "sign_in.failed")
        public static let signInThrottled = Self(rawValue: "sign_in.throttled")
        /// An email address or telephone number was replaced by another.
        public static let addressChanged = Self(rawValue: "address.changed")
        public static let passwordChanged = Self(rawValue: "password.changed")
        /// An operator sent a user the link to a new password.
        public static let passwordResetSent = Self(rawValue: "password.reset_sent")
        /// An operator let a password expire: the user must replace it.
        public static let passwordExpired = Self(rawValue: "password.expired")
        /// A link was followed whose number the user was not shown.
        public static let enchantedLinkCancelled = Self(rawValue: "enchanted_link.cancelled")
        /// A user could not be told of a change: the notices of the day are used up, or the queue failed.
        public static let noticeNotSent = Self(rawValue: "notice.not_sent")
        /// A user changed their own profile.
        public static let profileChanged = Self(rawValue: "profile.changed")
        public static let identifierAdded = Self(rawValue: "identifier.added")
        public static let identifierVerified = Self(rawValue: "identifier.verified")
        public static let identifierRemoved = Self(rawValue: "identifier.removed")
        public static let authenticatorAdded = Self(rawValue: "authenticator.added")
        public static let authenticatorRemoved = Self(rawValue: "authenticator.removed")
        public static let passkeyAdded = Self(rawValue: "passkey.added")
        public static let passkeyChanged = Self(rawValue: "passkey.changed")
        public static let passkeyRemoved = Self(rawValue: "passkey.removed")
        public static let passkeyRefused = Self(rawValue: "passkey.refused")
        /// A signature counter did not grow: there may be a copy of the key.
        public static let passkeyCopied = Self(rawValue: "passkey.counter_regressed")
        public static let biometricAdded = Self(rawValue: "biometric.added")
        public static let biometricRemoved = Self(rawValue: "biometric.removed")
        /// An anonymous user has an account now; the target is the anonymous user, and the reason how.
        public static let anonymousPromoted = Self(rawValue: "anonymous.promoted")
        /// An anonymous user was to get an account, and did not: there is one already, or the request was used.
        public static let anonymousPromotionRefused = Self(rawValue: "anonymous.promotion_refused")
        /// An identity at a provider was linked to a user; the target is its connection.
        public static let identityLinked = Self(rawValue: "identity.linked")
        public static let identityUnlinked = Self(rawValue: "identity.unlinked")
        /// A sign-in at a provider was refused, for the reason given.
        public static let identityRefused = Self(rawValue: "identity.refused")
        /// A user who is excluded from a tenant's single sign-on signed in another way; the target is the tenant.
        public static let singleSignOnBypassed = Self(rawValue: "single_sign_on.bypassed")
        /// An app opened pages of the settings in its own session.
        public static let appSessionOpened = Self(rawValue: "app_session.opened")
        /// A tenant's directory deactivated or removed a user who may sign in without the tenant's own connection.
        public static let singleSignOnExclusionLost = Self(rawValue: "single_sign_on.exclusion_lost")
        /// An address was taken from an account that had never verified it, and everything set up there was removed.
        public static let addressReclaimed = Self(rawValue: "address.reclaimed")
        /// A management key read the tokens that a provider gave for a user.
        public static let providerTokensRead = Self(rawValue: "provider_tokens.read")
        /// The tokens of an identity that is gone were removed: revoked at the provider, or why not.
        public static let providerTokensRemoved = Self(rawValue: "provider_tokens.removed")
        /// A provider's metadata has other certificates now; the reason is the fingerprints.
        public static let connectionCertificatesChanged = Self(rawValue: "connection.certificates_changed")
        public static let connectionChanged = Self(rawValue: "connection.changed")
        public static let connectionRemoved = Self(rawValue: "connection.removed")
        /// An operator removed a user's recovery codes.
        public static let recoveryCodesRemoved = Self(rawValue: "recovery_codes.removed")
        public static let recoveryCodesMade = Self(rawValue: "recovery_codes.made")
        /// Two other factors were verified: a lost second factor can be removed after the delay.
        public static let recoveryBegun = Self(rawValue: "recovery.begun")
        /// The recovery ended early, as ``RecoveryEnd/word`` says.
        public static let recoveryCancelled = Self(rawValue: "recovery.cancelled")
        /// The second factors were removed.
        public static let recoveryFinished = Self(rawValue: "recovery.finished")
        /// A user ended one of their browser sessions from another one, the target; or a provider ended it
        /// (``AuditEvent/byProvider``), and the target is its connection.
        public static let sessionEnded = Self(rawValue: "session.ended")
        /// A user ended all their sessions but the current one.
        public static let otherSessionsEnded = Self(rawValue: "sessions.ended")
        public static let userDeleted = Self(rawValue: "user.deleted")
        public static let userCreated = Self(rawValue: "user.created")
        public static let userUpdated = Self(rawValue: "user.updated")
        public static let userStatusChanged = Self(rawValue: "user.status")
        /// An operator sent a user the invitation, or sent it again.
        public static let userInvited = Self(rawValue: "user.invited")
        /// Another account was merged into this one; the target is the one that is gone.
        public static let userMerged = Self(rawValue: "user.merged")
        public static let userLoggedOut = Self(rawValue: "user.logged_out")
        public static let userRolesChanged = Self(rawValue: "user.roles")
        public static let userTenantsChanged = Self(rawValue: "user.tenants")
        /// Every user was written to a file.
        public static let usersExported = Self(rawValue: "users.exported")
        /// Events of the log were written to a file in the console; the reason is their number.
        public static let auditExported = Self(rawValue: "audit.exported")
        /// Events were not written, because too many came or the database was away: `refusals`, or others (`events`).
        public static let eventsDropped = Self(rawValue: "audit.dropped")
        /// A backup was made; the target is its SHA-256, and the reason says whether it is encrypted.
        public static let databaseBackedUp = Self(rawValue: "database.backed_up")
        /// The database was restored from a backup; the target is the time of the backup, if the backup says it.
        public static let databaseRestored = Self(rawValue: "database.restored")
        /// Everything that belongs to the project was written to a file; the target is its SHA-256, and the reason says
        /// whether it is encrypted.
        public static let projectExported = Self(rawValue: "project.exported")
        /// A file of another server was taken in; the target is the project it comes from.
        public static let projectImported = Self(rawValue: "project.imported")
        public static let tenantCreated = Self(rawValue: "tenant.created")
        public static let tenantUpdated = Self(rawValue: "tenant.updated")
        public static let tenantDeleted = Self(rawValue: "tenant.deleted")
        public static let roleCreated = Self(rawValue: "role.created")
        public static let roleDeleted = Self(rawValue: "role.deleted")
        /// A user got a role in the console, or another one; the reason names it.
        public static let operatorGranted = Self(rawValue: "operator.granted")
        /// A user is no operator of the console any longer; the reason names the role before.
        public static let operatorRemoved = Self(rawValue: "operator.removed")
        public static let permissionCreated = Self(rawValue: "permission.created")
        public static let signedOut = Self(rawValue: "sign_out")
        /// The user accepted a document; the reason names its version.
        public static let documentAccepted = Self(rawValue: "document.accepted")
        /// A service was asked in a journey; the reason names the step and the outcome.
        public static let journeyCalled = Self(rawValue: "journey.called")
        public static let consentGiven = Self(rawValue: "consent.given")
        public static let consentRefused = Self(rawValue: "consent.refused")
        public static let grantIssued = Self(rawValue: "grant.issued")
        /// A client's session is over; the session is the one that its tokens name.
        public static let grantEnded = Self(rawValue: "grant.ended")
        /// A client registered itself, or an operator registered it.
        public static let clientRegistered = Self(rawValue: "client.registered")
        /// A client that registered itself changed its registration, or an operator changed it.
        public static let clientChanged = Self(rawValue: "client.changed")
        public static let clientRemoved = Self(rawValue: "client.removed")
        public static let clientSecretChanged = Self(rawValue: "client.secret_changed")
        public static let signingKeyAdded = Self(rawValue: "signing_key.added")
        /// A signing key stops signing sooner than planned.
        public static let signingKeyRetired = Self(rawValue: "signing_key.retired")
        /// Tokens signed by a signing key are refused from now on.
        public static let signingKeyDropped = Self(rawValue: "signing_key.dropped")
        /// An operator sent a message to see whether messages arrive; the reason is the channel.
        public static let messageTested = Self(rawValue: "message.tested")
        /// An operator had a message tried again at once that had failed; the target is the message.
        public static let messageRetried = Self(rawValue: "message.retried")
        /// A client registration was refused.
        public static let clientRefused = Self(rawValue: "client.refused")
        public static let codeReplayed = Self(rawValue: "code.replayed")
        public static let refreshReplayed = Self(rawValue: "refresh.replayed")
        public static let refreshRepeated = Self(rawValue: "refresh.repeated")
        /// A refresh token that is bound to a key was presented without that key: a copy.
        public static let refreshWrongKey = Self(rawValue: "refresh.wrong_key")
        /// Two clients use each refresh token of a session in turn: a copy. The reason says whether the session ended.
        public static let refreshShadowed = Self(rawValue: "refresh.shadowed")
        /// A session ended for that.
        public static let refreshShadowEnded = Self(rawValue: "refresh.shadow_ended")
        /// A refresh token was newer than its row: the database had lost its last commits.
        public static let refreshAhead = Self(rawValue: "refresh.ahead")
        /// A user allowed a device; `grant.issued` follows at its next poll.
        public static let deviceAllowed = Self(rawValue: "device.allowed")
        public static let deviceDenied = Self(rawValue: "device.denied")
        /// The same device asked again at once: its answer was lost.
        public static let deviceRepeated = Self(rawValue: "device.repeated")
        /// A spent device code came back.
        public static let deviceReplayed = Self(rawValue: "device.replayed")
        public static let deviceCodeThrottled = Self(rawValue: "device.code_throttled")
        /// A client asked a user for a sign-in on another device; the reason says why the user does not see it.
        public static let backchannelAsked = Self(rawValue: "backchannel.asked")
        public static let backchannelAllowed = Self(rawValue: "backchannel.allowed")
        /// A user denied it; the reason says whether the number was wrong, or the user did not begin it.
        public static let backchannelDenied = Self(rawValue: "backchannel.denied")
        /// The answer to a redemption was repeated: the client had not got it.
        public static let backchannelRepeated = Self(rawValue: "backchannel.repeated")
        /// A waiting browser was signed in by an approval.
        public static let approvalCollected = Self(rawValue: "approval.collected")
        /// A spent `auth_req_id` came back.
        public static let backchannelReplayed = Self(rawValue: "backchannel.replayed")
        /// Management opened a session for a user.
        public static let sessionOpened = Self(rawValue: "session.opened")
        /// One user impersonates another.
        public static let sessionImpersonated = Self(rawValue: "session.impersonated")
        /// A client got a token for a user without the user's doing.
        public static let tokenIssuedForUser = Self(rawValue: "token.issued_for_user")
        /// One token was exchanged for another.
        public static let tokenExchanged = Self(rawValue: "token.exchanged")
        /// A client's signed assertion came a second time: there is a copy.
        public static let assertionReplayed = Self(rawValue: "assertion.replayed")
        /// An actor did something in the name of a user.
        public static let actedForUser = Self(rawValue: "user.acted_for")
        /// An actor was refused to act in the name of a user.
        public static let actingRefused = Self(rawValue: "user.acting_refused")
        public static let accessKeyExchanged = Self(rawValue: "access_key.exchanged")
        public static let accessKeyRefused = Self(rawValue: "access_key.refused")
        /// The key service made a data key.
        public static let dataKeyCreated = Self(rawValue: "data_key.created")
        /// Too many wrong secrets in a row: the data key is locked.
        public static let dataKeyWrongSecret = Self(rawValue: "data_key.wrong_secret")
        public static let dataKeyLocked = Self(rawValue: "data_key.locked")
        public static let dataKeySecretChanged = Self(rawValue: "data_key.secret_changed")
        public static let dataKeyDeleted = Self(rawValue: "data_key.deleted")
        /// A network or a user exceeded a rate limit of the key service.
        public static let dataKeyThrottled = Self(rawValue: "data_key.throttled")
    }

    public let kind: Kind
    public let at: UnixTime
    public let userID: UserID?
    public let clientID: String?
    public let sessionID: SessionID?
    /// The network address that asked, if known.
    public let address: String?
    /// A stable word for the cause, from a closed set of the event's own.
    public let reason: String?
    /// Who did it to another user or an object: a management key (the beginning of its digest), a user, or `operator:`
    /// and the system user who ran the command.
    public let actor: String?
    /// The object it was done to, if that is no user: a tenant, a role, a key.
    public let target: String?
    /// What was there before and after; `nil`: the event tells of no values, or they are gone.
    public let changes: AuditChanges?

    public init(
        _ kind: Kind, at: UnixTime, userID: UserID? = nil, clientID: String? = nil, sessionID: SessionID? = nil,
        address: String? = nil, reason: String? = nil, actor: String? = nil, target: String? = nil,
        changes: AuditChanges? = nil
    ) {
        self.kind = kind
        self.at = at
        self.userID = userID
        self.clientID = clientID
        self.sessionID = sessionID
        self.address = address
        self.reason = reason
        self.actor = actor
        self.target = target
        self.changes = changes
    }
}

extension AuditEvent {
    /// The reason of a ``Kind/sessionEnded`` that a provider caused.
    public static let byProvider = "provider"

    /// The same event without its time, and without the salt of its changes: two different changes stay two.
    var timeless: AuditEvent {
        AuditEvent(
            kind, at: UnixTime(rawValue: 0), userID: userID, clientID: clientID, sessionID: sessionID, address: address,
            reason: reason, actor: actor, target: target,
            changes: changes.map { AuditChanges($0.list, salt: []) })
    }

    /// The same event, asked for from this network address, unless it says another.
    func asked(from address: String) -> AuditEvent {
        self.address != nil
            ? self
            : AuditEvent(
                kind, at: at, userID: userID, clientID: clientID, sessionID: sessionID, address: address,
                reason: reason, actor: actor, target: target, changes: changes)
    }
}
