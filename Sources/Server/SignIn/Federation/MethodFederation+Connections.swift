internal import KeyturnBase
internal import Crypto
public import Model

/// The connections of tenants by the names of the methods' wire: a tenant, and an identifier within it.
extension MethodFederation {
    /// The identifier that names a tenant's default connection.
    public static let defaultSSOID = "default_ssoid"

    /// The identifier of a connection that is made by the methods' wire. The tenant's may hold characters that an address
    /// may not: it is hashed.
    ///
    /// - Parameter ssoID: letters, digits and hyphens, at most 32; `nil`: the default connection.
    /// - Returns: `nil` for any other `ssoID`.
    public static func connectionID(of tenant: String, _ ssoID: String?) -> String? {
        let hash = Base16.encode(SHA256.hash(data: Array(tenant.utf8)).prefix(12))
        guard let ssoID, ssoID != defaultSSOID else { return "sso-\(hash)" }
        guard (1...32).contains(ssoID.utf8.count),
            ssoID.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            })
        else { return nil }
        return "sso-\(hash)-\(ssoID)"
    }

    /// The identifier within the tenant by which the methods' wire names a connection.
    public static func ssoID(of connection: Connection) -> String {
        guard let tenant = connection.tenantID, let base = connectionID(of: tenant, nil) else { return connection.id }
        if connection.id == base { return defaultSSOID }
        return connection.id.hasPrefix(base + "-") ? String(connection.id.dropFirst(base.count + 1)) : connection.id
    }

    /// A tenant's connection. Without a default one, the only one that there is counts as that.
    public static func connection(
        of tenant: String, _ ssoID: String?, in directory: ConnectionDirectory
    ) -> Connection? {
        let own = directory.connections(of: tenant)
        if let id = connectionID(of: tenant, ssoID), let found = own.first(where: { $0.id == id }) { return found }
        guard let ssoID, ssoID != defaultSSOID else { return own.count == 1 ? own[0] : nil }
        return own.first { $0.id == ssoID }
    }
}
