internal import KeyturnBase
public import KeyturnWire
public import Model

extension UserAnswer {
    /// A user as the methods' API and management return them.
    public init(_ account: Account, _ directory: AccessDirectory) {
        let user = account.user
        self.init(
            userID: user.id.rawValue, loginIDs: account.identifiers.keys.map(\.value).sorted(),
            status: Status(rawValue: user.status.wireName), createdTime: user.createdAt)
        email = account.email ?? ""
        verifiedEmail = account.isEmailVerified
        phone = account.phone ?? ""
        verifiedPhone = account.isPhoneVerified
        name = user.claims["name"]?.stringValue ?? ""
        givenName = user.claims["given_name"]?.stringValue ?? ""
        middleName = user.claims["middle_name"]?.stringValue ?? ""
        familyName = user.claims["family_name"]?.stringValue ?? ""
        picture = user.claims["picture"]?.stringValue ?? ""
        roleNames = directory.names(of: account.memberships.roles)
        userTenants = account.memberships.tenants.sorted { $0.key < $1.key }.compactMap { id, roles in
            directory.tenant(id).map {
                Membership(tenantID: id, tenantName: $0.name, roleNames: directory.names(of: roles))
            }
        }
        password = account.passwordHash != nil
        webauthn = account.hasPasskey
        totp = account.hasAuthenticator
        customAttributes = user.attributes
        isTest = user.isTest
        isAnonymous = user.isAnonymous
    }
}
