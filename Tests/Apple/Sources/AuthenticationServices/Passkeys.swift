import Foundation

// Passkeys: names, signatures and isolation as in Apple's public documentation of AuthenticationServices (SDKs of
// Xcode 26). Optional requirements are required here, so that a misspelt one does not pass.

public protocol ASAuthorizationProvider: NSObjectProtocol {}
public protocol ASAuthorizationCredential: NSObjectProtocol {}

open class ASAuthorizationRequest: NSObject {}

public final class ASAuthorization: NSObject {
    public let credential: any ASAuthorizationCredential

    public init(standIn credential: any ASAuthorizationCredential) {
        self.credential = credential
    }
}

public struct ASAuthorizationError: CustomNSError {
    public enum Code: Int, Sendable {
        case unknown = 1_000
        case canceled, invalidResponse, notHandled, failed, notInteractive, matchedExcludedCredential
        case credentialImport, credentialExport, preferSignInWithApple, deviceNotConfiguredForPasskeyCreation
        /// Stands for what a later system adds: the real enumeration is not frozen.
        case fromTheFuture = 1_099
    }

    public static let errorDomain = "com.apple.AuthenticationServices.AuthorizationError"
    public let code: Code
    public let errorUserInfo: [String: Any]
    public var errorCode: Int { code.rawValue }

    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        errorUserInfo = userInfo
    }
}

@MainActor public protocol ASAuthorizationControllerDelegate: NSObjectProtocol {
    func authorizationController(
        controller: ASAuthorizationController, didCompleteWithAuthorization authorization: ASAuthorization)
    func authorizationController(controller: ASAuthorizationController, didCompleteWithError error: any Error)
}

@MainActor public protocol ASAuthorizationControllerPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for controller: ASAuthorizationController) -> ASPresentationAnchor
}

// Its delegate and its presenter belong to the main actor; the controller itself belongs to none.
open class ASAuthorizationController: NSObject {
    public struct RequestOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let preferImmediatelyAvailableCredentials = Self(rawValue: 1 << 0)
    }

    public let authorizationRequests: [ASAuthorizationRequest]
    public weak var delegate: (any ASAuthorizationControllerDelegate)?
    public weak var presentationContextProvider: (any ASAuthorizationControllerPresentationContextProviding)?

    public init(authorizationRequests: [ASAuthorizationRequest]) {
        self.authorizationRequests = authorizationRequests
    }

    open func performRequests() {
        performRequests(options: [])
    }

    open func performRequests(options: RequestOptions) {
        present(isAutoFill: false, options)
    }

    open func performAutoFillAssistedRequests() {
        present(isAutoFill: true, [])
    }

    open func cancel() {
        StandInAuthorization.cancelCounter.increment()
    }

    /// Who shows something is on the main thread; the compiler does not see to it.
    private func present(isAutoFill: Bool, _ options: RequestOptions) {
        nonisolated(unsafe) let controller = self
        MainActor.assumeIsolated {
            StandInAuthorization.shared.perform(controller, isAutoFill: isAutoFill, options)
        }
    }
}

public struct ASAuthorizationPublicKeyCredentialUserVerificationPreference: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let required = Self(rawValue: "required")
    public static let preferred = Self(rawValue: "preferred")
    public static let discouraged = Self(rawValue: "discouraged")
}

public struct ASAuthorizationPublicKeyCredentialAttestationKind: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let none = Self(rawValue: "none")
    public static let indirect = Self(rawValue: "indirect")
    public static let direct = Self(rawValue: "direct")
    public static let enterprise = Self(rawValue: "enterprise")
}

public struct ASAuthorizationPublicKeyCredentialResidentKeyPreference: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let required = Self(rawValue: "required")
    public static let preferred = Self(rawValue: "preferred")
    public static let discouraged = Self(rawValue: "discouraged")
}

public struct ASCOSEAlgorithmIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let ES256 = Self(rawValue: -7)
}

public enum ASAuthorizationPublicKeyCredentialAttachment: Int, Sendable {
    case platform, crossPlatform
    /// Stands for what a later system adds: the real enumeration is not frozen.
    case fromTheFuture
}

public final class ASAuthorizationPublicKeyCredentialParameters: NSObject {
    public let algorithm: ASCOSEAlgorithmIdentifier

    public init(algorithm: ASCOSEAlgorithmIdentifier) {
        self.algorithm = algorithm
    }
}

// The system's passkeys.

public final class ASAuthorizationPlatformPublicKeyCredentialDescriptor: NSObject {
    public let credentialID: Data

    public init(credentialID: Data) {
        self.credentialID = credentialID
    }
}

public final class ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
    public enum RequestStyle: Int, Sendable {
        case standard, conditional
    }

    public let relyingPartyIdentifier: String
    public let challenge: Data
    public let name: String
    public let userID: Data
    public let requestStyle: RequestStyle
    public var displayName: String?
    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
    public var attestationPreference = ASAuthorizationPublicKeyCredentialAttestationKind.none
    public var excludedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor]?

    init(_ rpID: String, _ challenge: Data, _ name: String, _ userID: Data, _ style: RequestStyle) {
        (relyingPartyIdentifier, self.challenge, self.name, self.userID) = (rpID, challenge, name, userID)
        requestStyle = style
    }
}

public final class ASAuthorizationPlatformPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
    public let relyingPartyIdentifier: String
    public let challenge: Data
    public var allowedCredentials: [ASAuthorizationPlatformPublicKeyCredentialDescriptor] = []
    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred

    init(_ rpID: String, _ challenge: Data) {
        (relyingPartyIdentifier, self.challenge) = (rpID, challenge)
    }
}

public final class ASAuthorizationPlatformPublicKeyCredentialProvider: NSObject, ASAuthorizationProvider {
    public let relyingPartyIdentifier: String

    public init(relyingPartyIdentifier: String) {
        self.relyingPartyIdentifier = relyingPartyIdentifier
    }

    public func createCredentialRegistrationRequest(
        challenge: Data, name: String, userID: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
        ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest(
            relyingPartyIdentifier, challenge, name, userID, .standard)
    }

    public func createCredentialRegistrationRequest(
        challenge: Data, name: String, userID: Data,
        requestStyle: ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest.RequestStyle
    ) -> ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest {
        ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest(
            relyingPartyIdentifier, challenge, name, userID, requestStyle)
    }

    public func createCredentialAssertionRequest(
        challenge: Data
    ) -> ASAuthorizationPlatformPublicKeyCredentialAssertionRequest {
        ASAuthorizationPlatformPublicKeyCredentialAssertionRequest(relyingPartyIdentifier, challenge)
    }
}

// Security keys.

public final class ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor: NSObject {
    public struct Transport: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public static let usb = Self(rawValue: "usb")
        public static let nfc = Self(rawValue: "nfc")
        public static let bluetooth = Self(rawValue: "bluetooth")
        public static var allSupported: [Transport] { [.usb, .nfc, .bluetooth] }
    }

    public let credentialID: Data
    public let transports: [Transport]

    public init(credentialID: Data, transports: [Transport]) {
        (self.credentialID, self.transports) = (credentialID, transports)
    }
}

public final class ASAuthorizationSecurityKeyPublicKeyCredentialRegistrationRequest: ASAuthorizationRequest {
    public let challenge: Data
    public let displayName: String
    public let name: String
    public let userID: Data
    public var credentialParameters: [ASAuthorizationPublicKeyCredentialParameters] = []
    public var excludedCredentials: [ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor] = []
    public var residentKeyPreference = ASAuthorizationPublicKeyCredentialResidentKeyPreference.discouraged
    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred
    public var attestationPreference = ASAuthorizationPublicKeyCredentialAttestationKind.none

    init(_ challenge: Data, _ displayName: String, _ name: String, _ userID: Data) {
        (self.challenge, self.displayName, self.name, self.userID) = (challenge, displayName, name, userID)
    }
}

public final class ASAuthorizationSecurityKeyPublicKeyCredentialAssertionRequest: ASAuthorizationRequest {
    public let challenge: Data
    public var allowedCredentials: [ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor] = []
    public var userVerificationPreference = ASAuthorizationPublicKeyCredentialUserVerificationPreference.preferred

    init(_ challenge: Data) {
        self.challenge = challenge
    }
}

public final class ASAuthorizationSecurityKeyPublicKeyCredentialProvider: NSObject, ASAuthorizationProvider {
    public let relyingPartyIdentifier: String

    public init(relyingPartyIdentifier: String) {
        self.relyingPartyIdentifier = relyingPartyIdentifier
    }

    public func createCredentialRegistrationRequest(
        challenge: Data, displayName: String, name: String, userID: Data
    ) -> ASAuthorizationSecurityKeyPublicKeyCredentialRegistrationRequest {
        ASAuthorizationSecurityKeyPublicKeyCredentialRegistrationRequest(challenge, displayName, name, userID)
    }

    public func createCredentialAssertionRequest(
        challenge: Data
    ) -> ASAuthorizationSecurityKeyPublicKeyCredentialAssertionRequest {
        ASAuthorizationSecurityKeyPublicKeyCredentialAssertionRequest(challenge)
    }
}
