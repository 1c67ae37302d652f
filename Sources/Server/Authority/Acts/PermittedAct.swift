/// An act as a type: a permission for one act is of another type than a permission for another.
public protocol PermittedAct: Sendable {
    static var act: Act { get }
}

/// The types of the acts for which stores demand a permission.
public enum Acts {
    /// ``Act/createAccount``
    public enum CreateAccount: PermittedAct { public static let act = Act.createAccount }
    /// ``Act/deleteAccount``
    public enum DeleteAccount: PermittedAct { public static let act = Act.deleteAccount }
    /// ``Act/mergeAccounts``
    public enum MergeAccounts: PermittedAct { public static let act = Act.mergeAccounts }
    /// ``Act/setPassword``
    public enum SetPassword: PermittedAct { public static let act = Act.setPassword }
    /// ``Act/addAuthenticator``
    public enum AddAuthenticator: PermittedAct { public static let act = Act.addAuthenticator }
    /// ``Act/removeAuthenticator``
    public enum RemoveAuthenticator: PermittedAct { public static let act = Act.removeAuthenticator }
    /// ``Act/addPasskey``
    public enum AddPasskey: PermittedAct { public static let act = Act.addPasskey }
    /// ``Act/removePasskey``
    public enum RemovePasskey: PermittedAct { public static let act = Act.removePasskey }
    /// ``Act/addAddress``
    public enum AddAddress: PermittedAct { public static let act = Act.addAddress }
    /// ``Act/linkIdentity``
    public enum LinkIdentity: PermittedAct { public static let act = Act.linkIdentity }
    /// ``Act/giveConsoleRole``
    public enum GiveConsoleRole: PermittedAct { public static let act = Act.giveConsoleRole }
}
