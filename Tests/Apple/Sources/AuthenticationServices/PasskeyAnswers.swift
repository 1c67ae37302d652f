import Foundation

public protocol ASPublicKeyCredential: ASAuthorizationCredential {
    var rawClientDataJSON: Data { get }
    var credentialID: Data { get }
}

public protocol ASAuthorizationPublicKeyCredentialRegistration: ASPublicKeyCredential {
    var rawAttestationObject: Data? { get }
}

public protocol ASAuthorizationPublicKeyCredentialAssertion: ASPublicKeyCredential {
    var rawAuthenticatorData: Data! { get }
    var userID: Data! { get }
    var signature: Data! { get }
}

public final class ASAuthorizationPlatformPublicKeyCredentialRegistration: NSObject,
    ASAuthorizationPublicKeyCredentialRegistration
{
    public let rawClientDataJSON: Data
    public let credentialID: Data
    public let rawAttestationObject: Data?
    public let attachment: ASAuthorizationPublicKeyCredentialAttachment

    public init(
        standIn id: Data, _ clientData: Data, _ attestation: Data?,
        _ attachment: ASAuthorizationPublicKeyCredentialAttachment = .platform
    ) {
        (credentialID, rawClientDataJSON, rawAttestationObject) = (id, clientData, attestation)
        self.attachment = attachment
    }
}

public final class ASAuthorizationSecurityKeyPublicKeyCredentialRegistration: NSObject,
    ASAuthorizationPublicKeyCredentialRegistration
{
    public let rawClientDataJSON: Data
    public let credentialID: Data
    public let rawAttestationObject: Data?

    public init(standIn id: Data, _ clientData: Data, _ attestation: Data?) {
        (credentialID, rawClientDataJSON, rawAttestationObject) = (id, clientData, attestation)
    }
}

public final class ASAuthorizationPlatformPublicKeyCredentialAssertion: NSObject,
    ASAuthorizationPublicKeyCredentialAssertion
{
    public let rawClientDataJSON: Data
    public let credentialID: Data
    public let rawAuthenticatorData: Data!
    public let userID: Data!
    public let signature: Data!
    public let attachment: ASAuthorizationPublicKeyCredentialAttachment

    public init(
        standIn id: Data, _ clientData: Data, _ data: Data?, _ userID: Data?, _ signature: Data?,
        _ attachment: ASAuthorizationPublicKeyCredentialAttachment = .platform
    ) {
        (credentialID, rawClientDataJSON, rawAuthenticatorData) = (id, clientData, data)
        (self.userID, self.signature, self.attachment) = (userID, signature, attachment)
    }
}

public final class ASAuthorizationSecurityKeyPublicKeyCredentialAssertion: NSObject,
    ASAuthorizationPublicKeyCredentialAssertion
{
    public let rawClientDataJSON: Data
    public let credentialID: Data
    public let rawAuthenticatorData: Data!
    public let userID: Data!
    public let signature: Data!

    public init(standIn id: Data, _ clientData: Data, _ data: Data?, _ userID: Data?, _ signature: Data?) {
        (credentialID, rawClientDataJSON, rawAuthenticatorData) = (id, clientData, data)
        (self.userID, self.signature) = (userID, signature)
    }
}

/// A password of the keychain: a credential that no passkey request asks for.
public final class ASPasswordCredential: NSObject, ASAuthorizationCredential {}

/// A system that does what it was told.
@MainActor public final class StandInAuthorization {
    public enum Answer {
        case credential(any ASAuthorizationCredential)
        case failure(any Error)
    }

    public struct Sheet {
        public let requests: [ASAuthorizationRequest]
        public let isAutoFill: Bool
        public let options: ASAuthorizationController.RequestOptions
        public let window: ASPresentationAnchor?
    }

    public static let shared = StandInAuthorization()
    public var sheets: [Sheet] = []
    nonisolated static let cancelCounter = Counter()
    public var cancels: Int { Self.cancelCounter.value }
    /// Given one after another, later; none: the system never calls back.
    public var answers: [Answer] = []
    public var onShow: (() -> Void)?

    public func reset() {
        (sheets, answers, onShow) = ([], [], nil)
        Self.cancelCounter.reset()
    }

    func perform(
        _ controller: ASAuthorizationController, isAutoFill: Bool, _ options: ASAuthorizationController.RequestOptions
    ) {
        let window = controller.presentationContextProvider?.presentationAnchor(for: controller)
        sheets.append(
            Sheet(
                requests: controller.authorizationRequests, isAutoFill: isAutoFill, options: options, window: window))
        onShow?()
        let answers = answers
        Task { @MainActor in
            for answer in answers {
                switch answer {
                case .credential(let credential):
                    controller.delegate?.authorizationController(
                        controller: controller, didCompleteWithAuthorization: ASAuthorization(standIn: credential))
                case .failure(let error):
                    controller.delegate?.authorizationController(controller: controller, didCompleteWithError: error)
                }
            }
        }
    }
}
