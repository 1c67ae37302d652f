extension Keyturn {
    /// Accounts at other providers.
    public var social: SocialMethod {
        SocialMethod(
            access: MethodAccess(self, "social"), browser: browser, platformSheet: PlatformNativeSignIn.make)
    }
    /// Flows: sign-ins whose steps an operator defined.
    public var flows: FlowMethods { FlowMethods(container: self, platformSheet: PlatformNativeSignIn.make) }
    /// The identity providers of organisations.
    public var sso: SSOMethod { SSOMethod(access: MethodAccess(self, "sso"), browser: browser) }
}
