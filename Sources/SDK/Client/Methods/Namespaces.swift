extension Keyturn {
    /// One-time codes by message.
    public var otp: OTPMethod { OTPMethod(access: MethodAccess(self, "otp")) }
    /// Links that sign in the user who follows them.
    public var magicLink: MagicLinkMethod { MagicLinkMethod(access: MethodAccess(self, "magicLink")) }
    /// Links that sign in the app that waits for them to be followed.
    public var enchantedLink: EnchantedLinkMethod { EnchantedLinkMethod(access: MethodAccess(self, "enchantedLink")) }
    /// Codes of authenticator apps.
    public var totp: TOTPMethod { TOTPMethod(access: MethodAccess(self, "totp")) }
    /// Passwords.
    public var password: PasswordMethod { PasswordMethod(access: MethodAccess(self, "password")) }
    /// The person who is signed in.
    public var profile: ProfileMethods { ProfileMethods(access: MethodAccess(self, "profile")) }
    /// Keys for programs.
    public var accessKeys: AccessKeyMethods { AccessKeyMethods(access: MethodAccess(self, "accessKeys")) }
}
