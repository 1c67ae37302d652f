import Foundation
import Security

// Names and signatures as in Apple's public documentation of LocalAuthentication (SDKs of Xcode 26).

public enum LAPolicy: Int, Sendable {
    case deviceOwnerAuthenticationWithBiometrics = 1
    case deviceOwnerAuthentication = 2
}

public struct LAError: CustomNSError, Sendable {
    public enum Code: Int, Sendable {
        case authenticationFailed = -1
        case userCancel = -2
        case userFallback = -3
        case systemCancel = -4
        case passcodeNotSet = -5
        case touchIDNotAvailable = -6
        case touchIDNotEnrolled = -7
        case touchIDLockout = -8
        case appCancel = -9
        case invalidContext = -10
        case notInteractive = -1004

        // Of two names for one number the older is the case.
        public static var biometryNotAvailable: Code { .touchIDNotAvailable }
        public static var biometryNotEnrolled: Code { .touchIDNotEnrolled }
        public static var biometryLockout: Code { .touchIDLockout }
    }

    public let code: Code

    public static var errorDomain: String { "com.apple.LocalAuthentication" }
    public var errorCode: Int { code.rawValue }

    public init(_ code: Code) {
        self.code = code
    }
}

public enum LABiometryType: Int, Sendable {
    case none = 0
    case touchID = 1
    case faceID = 2
    case opticID = 4
}

/// What the system asks a person with; here a test is the person.
public final class LAContext: StandInAuthentication {
    public var localizedCancelTitle: String?
    public var localizedFallbackTitle: String?
    public var interactionNotAllowed = false
    public private(set) var isEvaluated = false
    /// Known once it was asked whether a policy can be evaluated.
    public private(set) var biometryType = LABiometryType.none

    public init() {}

    public func canEvaluatePolicy(_ policy: LAPolicy, error: UnsafeMutablePointer<NSError?>?) -> Bool {
        biometryType = StandInPerson.shared.sensor
        guard let missing = StandInPerson.shared.missing(for: policy) else { return true }
        error?.pointee = LAError(missing) as NSError
        return false
    }

    public func evaluatePolicy(
        _ policy: LAPolicy, localizedReason: String, reply: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        precondition(!localizedReason.isEmpty, "the real one throws an exception")
        let person = StandInPerson.shared
        person.note(
            .init(
                policy: policy, reason: localizedReason, cancel: localizedCancelTitle,
                fallback: localizedFallbackTitle))
        if let missing = person.missing(for: policy) { return reply(false, LAError(missing)) }
        switch person.answer {
        case .recognised:
            isEvaluated = true
            reply(true, nil)
        case .refused(let code): reply(false, LAError(code))
        case .hesitates: person.hold(reply)
        }
    }

    public func invalidate() {
        isEvaluated = false
        StandInPerson.shared.release()?(false, LAError(.appCancel))
    }
}

/// Whoever sits in front of the device.
public final class StandInPerson: @unchecked Sendable {
    public enum Answer: Sendable {
        case recognised
        case refused(LAError.Code)
        /// Says nothing until the question is withdrawn.
        case hesitates
    }

    /// One question.
    public struct Question: Sendable {
        public let policy: LAPolicy
        public let reason: String
        public let cancel: String?
        public let fallback: String?
    }

    public static let shared = StandInPerson()

    private let lock = NSLock()
    private var held: (@Sendable (Bool, (any Error)?) -> Void)?
    private var asked: [Question] = []

    public var answer = Answer.recognised
    /// What the device lacks.
    public var missing: LAError.Code?
    /// What the device recognises people by.
    public var sensor = LABiometryType.touchID

    public func reset() {
        lock.withLock { (held, asked, answer, missing, sensor) = (nil, [], .recognised, nil, .touchID) }
    }

    public var questions: [Question] { lock.withLock { asked } }

    func note(_ question: Question) { lock.withLock { asked.append(question) } }
    func hold(_ reply: @escaping @Sendable (Bool, (any Error)?) -> Void) { lock.withLock { held = reply } }
    func release() -> (@Sendable (Bool, (any Error)?) -> Void)? {
        lock.withLock {
            defer { held = nil }
            return held
        }
    }

    /// A passcode is enough where it may be one.
    func missing(for policy: LAPolicy) -> LAError.Code? {
        guard let missing else { return nil }
        return policy == .deviceOwnerAuthentication && missing != .passcodeNotSet ? nil : missing
    }
}
