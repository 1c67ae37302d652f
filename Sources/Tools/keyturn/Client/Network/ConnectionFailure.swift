internal import AsyncHTTPClient
internal import Foundation
internal import KeyturnBase
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// What keeps requests from a server and does not pass by itself: the user must do something about it.
enum NetworkProblem: Error, Hashable, Sendable {
    /// The certificate is by no trusted authority, or has run out.
    case untrustedCertificate
    /// The certificate is good, for another name.
    case certificateOfAnother
    /// What answers does not speak TLS, or none that is allowed.
    case noTLS
    case unknownName
    case proxyUnreachable
    case proxyWantsPassword
    case proxyRefuses

    /// The error that it caused, with what to do as its detail; `nil`: `error` has another reason.
    static func told(by error: AuthError) -> AuthError? {
        var next: AuthError? = error
        while let error = next {
            if error.cause is NetworkProblem { return error }
            next = error.cause as? AuthError
        }
        return nil
    }
}

/// Why no answer came.
struct ConnectionFailure {
    private let error: any Error
    private let way: NetworkWay
    /// Scheme, host and port: what follows may hold a secret.
    private let server: String

    init(_ error: any Error, _ way: NetworkWay, url: String) {
        self.error = error
        self.way = way
        server = URIParts(url, bytesMax: .max)?.origin ?? "the service"
    }

    /// Whether nothing listened: nothing was sent, and what is being restarted is there again soon.
    var isWorthAnotherTry: Bool {
        if let failure = error as? NIOConnectionError { return !failure.connectionErrors.isEmpty }
        return (error as? IOError)?.errnoCode == ECONNREFUSED
    }

    /// `transport.unavailable`, or `protocol.violation` for too much of an answer.
    var authError: AuthError {
        if error is NIOTooManyBytesError { return AuthError(.protocolViolation, "the answer is too large") }
        guard let problem else { return AuthError(.unavailable, "no answer from \(server)", cause: error) }
        return AuthError(.unavailable, sentence(problem), cause: problem)
    }

    private var problem: NetworkProblem? {
        if way.proxy != nil, let problem = proxyProblem { return problem }
        if let failure = error as? NIOConnectionError, failure.connectionErrors.isEmpty { return .unknownName }
        if (error as? NIOSSLExtraError) == .failedToValidateHostname { return .certificateOfAnother }
        switch error as? NIOSSLError {
        case .unableToValidateCertificate, .noCertificateToValidate: return .untrustedCertificate
        case .handshakeFailed(let reason):
            // BoringSSL's own words: its numbers are not shown to those who use it.
            let words = "\(reason)"
            if words.contains("CERTIFICATE_VERIFY_FAILED") { return .untrustedCertificate }
            // A connection that breaks off may be whole the next time.
            return words.contains("EOF during handshake") ? nil : .noTLS
        default: return nil
        }
    }

    private var proxyProblem: NetworkProblem? {
        if isWorthAnotherTry || error is NIOConnectionError { return .proxyUnreachable }
        guard let failure = error as? HTTPClientError else { return nil }
        switch failure {
        case .proxyAuthenticationRequired: return .proxyWantsPassword
        case .invalidProxyResponse: return .proxyRefuses
        case .connectTimeout, .httpProxyHandshakeTimeout: return .proxyUnreachable
        default: return nil
        }
    }

    private func sentence(_ problem: NetworkProblem) -> String {
        let proxy = way.proxy?.name ?? "the proxy"
        return switch problem {
        case .untrustedCertificate:
            "the certificate of \(server) is not trusted: it is by no authority that is known here, or it has run out. "
                + "If the authority is your organisation's, name its certificate with --ca-file FILE, or all that are "
                + "trusted with \(TrustedAuthorities.variable)"
        case .certificateOfAnother: "the certificate of \(server) is for another name: check the address"
        case .noTLS: "\(server) does not speak TLS as it should: check the address and its port"
        case .unknownName: "\(server) has no address: check how its name is spelled, and the network"
        case .proxyUnreachable: "the proxy \(proxy) cannot be reached: check the address, and the network"
        case .proxyWantsPassword:
            "the proxy \(proxy) wants a user and a password, or others: write http://USER:PASSWORD@HOST:PORT"
        case .proxyRefuses:
            "the proxy \(proxy) does not connect to \(server): if the server is reached without it, list its host in "
                + "NO_PROXY"
        }
    }
}
