/// What a caller wants to do to an account, a client, a connection or the project.
public enum Act: String, Hashable, Sendable, CaseIterable {
    // The account as a whole.
    case createAccount, deleteAccount, changeStatus, restoreAccess, changeProfile, changeAttributes, mergeAccounts,
        giveUpAccount, mergeIntoExisting, acceptInvitation, voidCredentials, provisionUsers, importUsers
    // Its credentials.
    case setPassword, expirePassword, addAuthenticator, removeAuthenticator, makeRecoveryCodes, addPasskey,
        changePasskey, removePasskey, addDeviceKey, removeDeviceKey
    // Its addresses and names.
    case addAddress, proveAddress, releaseAddress, removeAddress, choosePrimaryAddress, changeUsername
    // Its identities at providers.
    case linkIdentity, unlinkIdentity
    // What it may do.
    case changeMemberships, giveConsoleRole, takeConsoleRole, impersonate
    // Its sessions.
    case endSessions, openSessions, approveSignIn, approveDevice, giveConsent
    // The project.
    case changeClient, removeClient, registerClient, registerManagementClient, changeConnection, changeConnectionTrust,
        changeTenants,
        makeProvisioningToken, changeAccessKeys, changeKeys, handleMessages
    // What is told.
    case readUsers, readProject, readAudit
}
