/// An act as a type: a permission for one act is of another type than a permission for another.
public protocol PermittedAct: Sendable {}

/// An act for which the rulebook has one row.
public protocol SingleAct: PermittedAct {
    static var act: Act { get }
}

/// The acts for which stores demand a permission.
public enum Acts {
    /// One or several acts that change an account's row: what the permission names, and nothing else, may change.
    public enum ChangeAccount: PermittedAct {}

    /// ``Act/createAccount``
    public enum CreateAccount: SingleAct { public static let act = Act.createAccount }
    /// ``Act/deleteAccount``
    public enum DeleteAccount: SingleAct { public static let act = Act.deleteAccount }
    /// ``Act/mergeAccounts``
    public enum MergeAccounts: SingleAct { public static let act = Act.mergeAccounts }
    /// ``Act/giveUpAccount``
    public enum GiveUpAccount: SingleAct { public static let act = Act.giveUpAccount }
    /// ``Act/voidCredentials``
    public enum VoidCredentials: SingleAct { public static let act = Act.voidCredentials }
    /// ``Act/provisionUsers``
    public enum Provision: SingleAct { public static let act = Act.provisionUsers }
    /// ``Act/importUsers``
    public enum ImportUsers: SingleAct { public static let act = Act.importUsers }
    /// ``Act/setPassword``
    public enum SetPassword: SingleAct { public static let act = Act.setPassword }
    /// ``Act/expirePassword``
    public enum ExpirePassword: SingleAct { public static let act = Act.expirePassword }
    /// ``Act/addAuthenticator``
    public enum AddAuthenticator: SingleAct { public static let act = Act.addAuthenticator }
    /// ``Act/removeAuthenticator``
    public enum RemoveAuthenticator: SingleAct { public static let act = Act.removeAuthenticator }
    /// ``Act/makeRecoveryCodes``
    public enum MakeRecoveryCodes: SingleAct { public static let act = Act.makeRecoveryCodes }
    /// ``Act/addPasskey``
    public enum AddPasskey: SingleAct { public static let act = Act.addPasskey }
    /// ``Act/changePasskey``
    public enum ChangePasskey: SingleAct { public static let act = Act.changePasskey }
    /// ``Act/removePasskey``
    public enum RemovePasskey: SingleAct { public static let act = Act.removePasskey }
    /// ``Act/addDeviceKey``
    public enum AddDeviceKey: SingleAct { public static let act = Act.addDeviceKey }
    /// ``Act/removeDeviceKey``
    public enum RemoveDeviceKey: SingleAct { public static let act = Act.removeDeviceKey }
    /// ``Act/linkIdentity``
    public enum LinkIdentity: SingleAct { public static let act = Act.linkIdentity }
    /// ``Act/unlinkIdentity``
    public enum UnlinkIdentity: SingleAct { public static let act = Act.unlinkIdentity }
    /// ``Act/giveConsoleRole``
    public enum GiveConsoleRole: SingleAct { public static let act = Act.giveConsoleRole }
    /// ``Act/takeConsoleRole``
    public enum TakeConsoleRole: SingleAct { public static let act = Act.takeConsoleRole }
    /// ``Act/changeClient``
    public enum ChangeClient: SingleAct { public static let act = Act.changeClient }
    /// ``Act/removeClient``
    public enum RemoveClient: SingleAct { public static let act = Act.removeClient }
    /// ``Act/registerClient``
    public enum RegisterClient: SingleAct { public static let act = Act.registerClient }
    /// ``Act/changeTenants``
    public enum ChangeTenants: SingleAct { public static let act = Act.changeTenants }
    /// ``Act/makeProvisioningToken``
    public enum MakeProvisioningToken: SingleAct { public static let act = Act.makeProvisioningToken }
    /// ``Act/changeAccessKeys``
    public enum ChangeAccessKeys: SingleAct { public static let act = Act.changeAccessKeys }
    /// ``Act/changeConnection``
    public enum ChangeConnection: SingleAct { public static let act = Act.changeConnection }
}
