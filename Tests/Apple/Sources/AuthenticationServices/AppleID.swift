import Foundation

// Sign in with Apple: names, signatures and isolation as in Apple's public documentation of AuthenticationServices.

extension ASAuthorization {
    public struct Scope: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let fullName = Self(rawValue: "full_name")
        public static let email = Self(rawValue: "email")
    }
}

open class ASAuthorizationOpenIDRequest: ASAuthorizationRequest {
    public var requestedScopes: [ASAuthorization.Scope]?
    public var nonce: String?
}

open class ASAuthorizationAppleIDRequest: ASAuthorizationOpenIDRequest {}

open class ASAuthorizationAppleIDProvider: NSObject, ASAuthorizationProvider {
    public func createRequest() -> ASAuthorizationAppleIDRequest { ASAuthorizationAppleIDRequest() }
}

public final class ASAuthorizationAppleIDCredential: NSObject, ASAuthorizationCredential {
    public let identityToken: Data?
    public let authorizationCode: Data?
    public let fullName: PersonNameComponents?

    public init(standIn token: Data?, _ code: Data?, _ name: PersonNameComponents?) {
        (identityToken, authorizationCode, fullName) = (token, code, name)
    }
}
