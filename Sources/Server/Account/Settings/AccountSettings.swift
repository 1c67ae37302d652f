internal import Authority
internal import Foundation
public import KeyturnBase
public import Model
package import OAuth
public import SignIn

/// What users change about their own accounts. The caller has checked that the owner is signed in, and how recently;
/// every identifier in a request is looked up among the owner's own.
public struct AccountSettings: Sendable {
    let project: Project
    let clients: ClientDirectory
    let stores: Stores
    let methods: SignInMethods
    let signIn: SignIn
    let audit: any AuditLog
    let ambient: Ambient

    package init(
        project: Project, clients: ClientDirectory, stores: Stores, methods: SignInMethods, signIn: SignIn,
        audit: any AuditLog, ambient: Ambient
    ) {
        self.project = project
        self.clients = clients
        self.stores = stores
        self.methods = methods
        self.signIn = signIn
        self.audit = audit
        self.ambient = ambient
    }

    /// The state of an account, in numbers.
    public struct Summary: Sendable {
        /// `nil`: there is no password, or the time was not recorded.
        public let passwordSetAt: UnixTime?
        public let hasAuthenticator: Bool
        public let recoveryCodes: Int
        /// The active ones.
        public let passkeys: Int
        /// Browsers and apps.
        public let sessions: Int
    }

    /// Reads the overview.
    public func summary(of owner: AccountOwner) async throws(StoreError) -> Summary {
        let now = ambient.now()
        let state = try await stores.passwords.state(of: owner.userID)
        let authenticators = try await stores.authenticators.authenticators(of: .user(owner.userID), at: now)
        let codes = try await stores.recoveryCodes.count(of: owner.userID)
        let passkeys = try await methods.passkeys.passkeys(of: owner.userID).count(where: \.isActive)
        let sessions = try await sessions(of: owner)
        return Summary(
            passwordSetAt: owner.account.passwordHash.map { _ in state.setAt ?? owner.account.user.createdAt },
            hasAuthenticator: authenticators.contains(where: \.isConfirmed), recoveryCodes: codes,
            passkeys: passkeys, sessions: 1 + sessions.others.count + sessions.apps.count)
    }

    /// The user's profile. Empty: not given.
    public struct Profile: Hashable, Sendable {
        public var name: String
        public var givenName: String
        public var familyName: String
        /// An `https` address.
        public var picture: String
        /// BCP 47.
        public var locale: String

        public init(name: String, givenName: String, familyName: String, picture: String, locale: String) {
            self.name = name
            self.givenName = givenName
            self.familyName = familyName
            self.picture = picture
            self.locale = locale
        }
    }

    /// Why a profile was not saved.
    public enum ProfileProblem: Hashable, Sendable {
        /// A name of more than ``Limits/nameBytesMax`` bytes, or with characters that cannot be shown.
        case tooLong
        case pictureInvalid
    }

    /// The profile as it is.
    public func profile(of account: Account) -> Profile {
        let text = { account.user.claims[$0]?.stringValue ?? "" }
        return Profile(
            name: text("name"), givenName: text("given_name"), familyName: text("family_name"),
            picture: text("picture"), locale: text("locale"))
    }

    /// Saves a profile.
    ///
    /// - Returns: what is wrong with it; `nil`: it is saved.
    public func save(_ profile: Profile, of owner: AccountOwner) async throws(StoreError) -> ProfileProblem? {
        let values = [
            "name": profile.name, "given_name": profile.givenName, "family_name": profile.familyName,
            "picture": profile.picture, "locale": profile.locale,
        ].mapValues { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        let picture = values["picture"] ?? ""
        guard picture.isEmpty || Self.isPicture(picture) else { return .pictureInvalid }
        for (name, value) in values where name != "picture" {
            guard value.utf8.count <= Limits.nameBytesMax,
                !value.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { return .tooLong }
        }
        let note = ChangeNote(ambient)
        let noted = note.noting { (account: inout Account) in
            for (name, value) in values { account.user.claims[name] = value.isEmpty ? nil : .string(value) }
        }
        _ = try await stores.users.change(
            by: try changePermission(.changeProfile, owner), at: ambient.now(), noted)
        record(.profileChanged, owner, changes: note.changes)
        return nil
    }

    private static func isPicture(_ text: String) -> Bool {
        text.hasPrefix("https:") && URIParts(text, bytesMax: Limits.redirectBytesMax)?.host != nil
    }

    /// What the rulebook allows the owner. The pages have asked for a recent sign-in and the second factor.
    ///
    /// - Throws: ``StoreError``, `forbidden`.
    func permission<A: SingleAct>(_ act: A.Type, _ owner: AccountOwner) throws(StoreError) -> Allowed<A> {
        try project.rulebook.permission(
            act, to: .session(owner.standing(at: ambient.now())), on: owner.account.subject)
    }

    /// As ``permission(_:_:)``, for an act that changes the account's row.
    func changePermission(_ act: Act, _ owner: AccountOwner, showing evidence: Evidence = .none) throws(StoreError)
        -> Allowed<Acts.ChangeAccount>
    {
        try project.rulebook.changePermission(
            act, to: .session(owner.standing(at: ambient.now())), on: owner.account.subject, showing: evidence)
    }

    func record(
        _ kind: AuditEvent.Kind, _ owner: AccountOwner, reason: String? = nil, target: String? = nil,
        changes: AuditChanges? = nil
    ) {
        audit.record(
            AuditEvent(
                kind, at: ambient.now(), userID: owner.userID, sessionID: owner.session.id,
                address: owner.address?.text, reason: reason, target: target, changes: changes))
    }
}
