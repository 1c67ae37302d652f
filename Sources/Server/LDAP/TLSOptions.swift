internal import CLDAP
internal import Foundation

/// What libldap must demand of a directory's TLS: set on the connection, since the process has no common setting.
enum TLSOptions {
    /// `LDAP_OPT_X_TLS_PROTOCOL_TLS1_2`, a macro that Swift does not see.
    private static let leastVersion: Int32 = 0x303
    /// Where systems keep the certificates that they trust.
    private static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// - Parameter authorities: PEM certificates that the directory's must come from; `nil`: the system's.
    /// - Throws: ``LDAPFault`` if one of the demands is not taken.
    static func set(on ldap: OpaquePointer, authorities: String?) throws(LDAPFault) {
        let own = try authorities.map { text throws(LDAPFault) in try temporaryFile(text) }
        // libldap reads the file while it makes its context, below.
        defer { if let own { try? FileManager.default.removeItem(atPath: own) } }
        guard let file = own ?? systemFiles.first(where: FileManager.default.fileExists(atPath:)) else {
            throw .settings("authorities")
        }
        var demand = LDAP_OPT_X_TLS_DEMAND
        var least = leastVersion
        var isServer: Int32 = 0
        // In this order: the context is made of the options before it.
        guard unsafe ldap_set_option(ldap, LDAP_OPT_X_TLS_CACERTFILE, file) == LDAP_OPT_SUCCESS,
            unsafe ldap_set_option(ldap, LDAP_OPT_X_TLS_REQUIRE_CERT, &demand) == LDAP_OPT_SUCCESS,
            unsafe ldap_set_option(ldap, LDAP_OPT_X_TLS_PROTOCOL_MIN, &least) == LDAP_OPT_SUCCESS,
            unsafe ldap_set_option(ldap, LDAP_OPT_X_TLS_NEWCTX, &isServer) == LDAP_OPT_SUCCESS
        else { throw .settings("authorities") }
    }

    /// libldap takes certificates by the name of a file alone.
    private static func temporaryFile(_ text: String) throws(LDAPFault) -> String {
        var path = Array((NSTemporaryDirectory() + "/keyturn-ldap-" + String(repeating: "X", count: 6)).utf8CString)
        let descriptor = unsafe mkstemp(&path)
        guard descriptor >= 0 else { throw .settings("temporary_file") }
        let name = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        do {
            try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: Data(text.utf8))
        } catch {
            try? FileManager.default.removeItem(atPath: name)
            throw .settings("temporary_file")
        }
        return name
    }
}
