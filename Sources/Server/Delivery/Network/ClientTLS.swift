internal import KeyturnBase
internal import NIOSSL

/// A file of authorities that holds no certificates.
public struct UnreadableAuthorities: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String

    public init(path: String) {
        self.path = path
    }

    public var description: String { "\(path) holds no certificates: name a PEM file" }
}

/// TLS to a server of the operator's.
enum ClientTLS {
    /// TLS 1.2 or newer; the certificate must be good and name the host.
    ///
    /// - Parameter authoritiesFile: PEM, instead of the system's.
    static func context(authoritiesFile: String?) throws(UnreadableAuthorities) -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        do {
            if let authoritiesFile {
                configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(authoritiesFile))
            }
            return try NIOSSLContext(configuration: configuration)
        } catch {
            throw UnreadableAuthorities(path: authoritiesFile ?? "the system's list of authorities")
        }
    }

    /// What goes into the handshake: a name. A certificate for an address is compared with where we are connected.
    static func serverName(_ host: String) -> String? {
        IPAddress(host) == nil ? host : nil
    }
}
