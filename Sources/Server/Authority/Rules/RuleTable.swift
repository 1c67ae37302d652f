/// One row of the table: what a kind of caller needs for an act.
public struct Rule: Hashable, Sendable {
    public let act: Act
    public let caller: Caller.Kind
    /// In the order in which they are asked for; empty: it is allowed.
    public let needs: [Need]
}

/// The whole table. What it does not name is refused.
public enum RuleTable {
    /// The rows, by act and then by caller.
    public static let rows: [Rule] = Act.allCases.flatMap { act in
        Caller.Kind.allCases.compactMap { rule(act, $0) }
    }

    /// - Returns: `nil`: it is refused to that kind of caller.
    static func rule(_ act: Act, _ caller: Caller.Kind) -> Rule? {
        needs(act, caller).map { Rule(act: act, caller: caller, needs: $0) }
    }

    private static func needs(_ act: Act, _ caller: Caller.Kind) -> [Need]? {
        switch caller {
        case .machine: []
        case .managementKey: managementKey(act)
        case .session: session(act)
        case .operator: `operator`(act)
        case .directory: directory(act)
        case .provider: provider(act)
        case .recovery: [.removeAuthenticator, .removePasskey, .endSessions].contains(act) ? [] : nil
        case .anonymous: anonymous(act)
        }
    }

    /// What changes how the user signs in.
    private static let sensitive: [Need] = [.ownSession, .recentSignIn, .secondFactor]

    private static func session(_ act: Act) -> [Need]? {
        switch act {
        case .createAccount: [.signUp]
        case .setPassword: [.ownSession, .recentSignIn, .severalFactors]
        case .addAuthenticator, .removeAuthenticator, .makeRecoveryCodes, .addPasskey, .removePasskey, .addDeviceKey,
            .removeAddress, .choosePrimaryAddress, .changeUsername, .linkIdentity, .unlinkIdentity, .deleteAccount:
            sensitive
        case .addAddress: sensitive + [.addressProof]
        case .mergeAccounts: sensitive + [.addressProof, .noRoleOverOthers]
        // Of the account that has the address: neither the session nor the mailbox stands for its other ways to sign in.
        case .giveUpAccount: [.ownSession, .addressProof, .noPassword, .noStrongFactor, .noRoleOverOthers]
        case .mergeIntoExisting: [.mergeSetting, .ownSession, .addressProof, .noStrongFactor, .noRoleOverOthers]
        case .proveAddress, .releaseAddress, .acceptInvitation: [.addressProof]
        case .voidCredentials: [.addressProof, .noProvenAddress]
        case .changeProfile, .changeAttributes, .changePasskey, .removeDeviceKey, .endSessions, .giveConsent:
            [.ownSession]
        case .approveSignIn: sensitive
        // The user is asked here and now, on a page that says what the device gets.
        case .approveDevice: [.ownSession, .secondFactor]
        case .changeStatus, .restoreAccess, .expirePassword, .changeMemberships, .giveConsoleRole, .takeConsoleRole,
            .impersonate, .changeClient, .removeClient, .registerClient, .registerManagementClient, .changeConnection,
            .changeConnectionTrust, .changeTenants, .makeProvisioningToken, .changeAccessKeys, .changeKeys,
            .openSessions, .handleMessages, .provisionUsers,
            .importUsers, .readUsers, .readProject, .readAudit:
            nil
        }
    }

    private static func anonymous(_ act: Act) -> [Need]? {
        switch act {
        case .createAccount: [.signUp]
        // The answer to a message that was sent there.
        case .proveAddress, .releaseAddress, .acceptInvitation: [.addressProof]
        case .voidCredentials: [.addressProof, .noProvenAddress]
        case .registerClient, .removeClient: [.registration]
        default: nil
        }
    }

    private static func `operator`(_ act: Act) -> [Need]? {
        switch act {
        case .readUsers, .readProject, .readAudit: [.role(.viewer)]
        case .handleMessages: [.role(.support)]
        // What takes access away does not wait for a sign-in.
        case .endSessions, .changeStatus: [.role(.support), .lowerRole]
        case .restoreAccess, .expirePassword, .removeAuthenticator, .removePasskey, .removeDeviceKey:
            [.role(.support), .recentOperator, .lowerRole]
        case .createAccount, .changeTenants, .changeClient, .removeClient, .changeConnection, .makeProvisioningToken,
            .changeKeys:
            [.role(.operator), .recentOperator]
        case .setPassword, .changeProfile, .changeAttributes, .changeMemberships, .addAddress, .proveAddress,
            .releaseAddress, .removeAddress, .choosePrimaryAddress, .changeUsername, .unlinkIdentity, .deleteAccount,
            .mergeAccounts, .giveUpAccount, .impersonate, .acceptInvitation, .voidCredentials:
            [.role(.operator), .recentOperator, .lowerRole]
        case .registerManagementClient, .changeConnectionTrust, .takeConsoleRole: [.role(.owner), .recentOperator]
        case .giveConsoleRole: [.role(.owner), .recentOperator, .everyAddressProved]
        case .addAuthenticator, .makeRecoveryCodes, .addPasskey, .changePasskey, .addDeviceKey, .linkIdentity,
            .approveSignIn, .approveDevice, .giveConsent, .mergeIntoExisting, .openSessions, .changeAccessKeys,
            .provisionUsers,
            .importUsers,
            .registerClient:
            nil
        }
    }

    private static func managementKey(_ act: Act) -> [Need]? {
        switch act {
        case .addAuthenticator, .makeRecoveryCodes, .addPasskey, .addDeviceKey, .linkIdentity, .approveSignIn,
            .approveDevice, .giveConsent, .provisionUsers, .importUsers, .registerClient:
            nil
        case .giveConsoleRole: [.everyAddressProved]
        default: []
        }
    }

    private static func directory(_ act: Act) -> [Need]? {
        switch act {
        case .createAccount: []
        case .provisionUsers, .changeProfile, .changeMemberships, .endSessions: [.ownTenant]
        case .addAddress, .proveAddress, .removeAddress, .choosePrimaryAddress, .changeUsername, .changeStatus,
            .restoreAccess, .changeAttributes, .deleteAccount:
            [.ownTenant, .noRoleOverOthers]
        default: nil
        }
    }

    private static func provider(_ act: Act) -> [Need]? {
        switch act {
        case .createAccount: [.signUp]
        case .linkIdentity, .proveAddress, .releaseAddress, .acceptInvitation: [.noRoleOverOthers]
        case .voidCredentials: [.noProvenAddress, .noRoleOverOthers]
        case .changeProfile, .changeMemberships: []
        case .addAddress, .removeAddress, .choosePrimaryAddress: [.ownTenant, .noRoleOverOthers]
        case .endSessions: []
        default: nil
        }
    }
}
