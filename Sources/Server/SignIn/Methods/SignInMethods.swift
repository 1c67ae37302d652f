public import KeyturnBase
public import Model
public import OAuth

/// All sign-in methods, wired together.
public struct SignInMethods: Sendable {
    public let codes: OneTimeCodes
    public let magicLinks: MagicLinks
    public let enchantedLinks: EnchantedLinks
    public let authenticators: TOTPAuthenticators
    public let passwords: PasswordMethods
    public let recoveryCodes: RecoveryCodes
    public let testUsers: TestUserVerification
    public let embeddedLinks: EmbeddedLinks
    public let passkeys: UserPasskeys

    public init(
        project: Project, settings: MethodSettings, clients: ClientDirectory, stores: Stores, secrets: ServerSecrets,
        passwords: Passwords, relyingParties: RelyingParties, messages: any MessageSender, notices: SecurityNotices,
        audit: any AuditLog, ambient: Ambient
    ) {
        let core = VerificationCore(
            project: project, settings: settings, clients: clients, stores: stores, secrets: secrets,
            messages: messages, notices: notices, audit: audit, ambient: ambient)
        codes = OneTimeCodes(core: core)
        magicLinks = MagicLinks(core: core)
        enchantedLinks = EnchantedLinks(core: core)
        authenticators = TOTPAuthenticators(core: core, project: project, secrets: secrets)
        self.passwords = PasswordMethods(
            core: core, links: magicLinks, passwords: passwords, policy: project.passwordPolicy,
            breached: project.breachedPasswords,
            settings: settings.passwords)
        recoveryCodes = RecoveryCodes(core: core, secrets: secrets)
        testUsers = TestUserVerification(
            core: core, codes: codes, magicLinks: magicLinks, enchantedLinks: enchantedLinks)
        embeddedLinks = EmbeddedLinks(core: core)
        passkeys = UserPasskeys(parties: relyingParties, core: core, secrets: secrets)
    }
}
