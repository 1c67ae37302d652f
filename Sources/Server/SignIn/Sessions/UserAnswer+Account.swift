public import Authority
internal import KeyturnBase
public import KeyturnWire
public import Model

extension UserAnswer {
    /// A user as apps hear of them over the methods' API: an address that the user has not proved is empty there, unless
    /// the operator wants it, and so is a name that is one. Login IDs are all there, proved or not: clients name their user
    /// by them in further calls.
    public init(telling account: Account, _ directory: AccessDirectory, _ policy: AuthorityPolicy) {
        self.init(account, directory)
        if !policy.unverifiedContacts {
            if !verifiedEmail { email = "" }
            if !verifiedPhone { phone = "" }
        }
        (name, givenName) = (account.told("name"), account.told("given_name"))
        (middleName, familyName) = (account.told("middle_name"), account.told("family_name"))
    }

    /// A user as management returns them, with everything.
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
