internal import KeyturnBase
internal import NIOSSL

/// Whose certificates servers may show.
struct TrustedAuthorities: Hashable, Sendable {
    /// Names a PEM file that counts in the place of the system's, as OpenSSL reads it.
    static let variable = "SSL_CERT_FILE"

    /// `nil`: the system's.
    private let usual: String?
    /// A PEM file of authorities beside the usual ones.
    private let added: String?

    /// - Parameter caFile: A PEM file of authorities beside the usual ones.
    init(caFile: String?, _ environment: [String: String]) {
        usual = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
        added = caFile
    }

    /// TLS 1.2 or newer; a certificate must be good and name the server.
    ///
    /// - Throws: `configuration.invalid` if a file holds no certificates.
    func configuration() throws(AuthError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let usual {
            configuration.trustRoots = .certificates(try Self.certificates(in: usual, Self.variable))
        }
        if let added {
            configuration.additionalTrustRoots = [.certificates(try Self.certificates(in: added, "--ca-file"))]
        }
        return configuration
    }

    private static func certificates(in path: String, _ source: String) throws(AuthError) -> [NIOSSLCertificate] {
        guard let found = try? NIOSSLCertificate.fromPEMFile(path), !found.isEmpty else {
            throw AuthError(
                .misconfigured, "\(source): \(path) cannot be read, or holds no certificates: name a PEM file")
        }
        return found
    }
}
