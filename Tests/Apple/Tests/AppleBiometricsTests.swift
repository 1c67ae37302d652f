import Foundation
import KeyturnBase
import KeyturnJose
import LocalAuthentication
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("Touch ID and Face ID")
    struct AppleBiometricsTests {
        let keychain = emptyKeychain()
        let person = StandInPerson.shared
        let device = AppleBiometrics()
        static let prompt = BiometricPrompt(reason: "to sign in")

        init() {
            person.reset()
        }

        private static func point(_ key: any BiometricKey) throws -> [UInt8] {
            try ["x", "y"].flatMap { name in
                try #require(key.publicKey.json[name]?.stringValue.flatMap { Base64URL.decode($0) })
            }
        }

        @Test func `a key signs for whoever is recognised, once each time`() async throws {
            let made = try await device.makeKey("a", Self.prompt)
            #expect(person.questions.isEmpty)
            let found = try #require(try await AppleBiometrics().key("a"))
            #expect(found.publicKey == made.publicKey && found.algorithm == .es256)
            let message = Array("message".utf8)
            for key in [made, found] {
                let signature = try await key.signature(of: message, Self.prompt)
                #expect(P256.isValid(signature, of: message, publicKey: try Self.point(made)))
            }
            #expect(person.questions.count == 2)
            #expect(try await device.key("b") == nil)
        }

        @Test(
            arguments: [
                (BiometricPolicy.anyBiometry, LAPolicy.deviceOwnerAuthenticationWithBiometrics, "", 1 << 1),
                (.currentBiometry, .deviceOwnerAuthenticationWithBiometrics, "", 1 << 3),
                (.biometryOrPasscode, .deviceOwnerAuthentication, nil, 1 << 0),
            ] as [(BiometricPolicy, LAPolicy, String?, UInt)])
        func `the policy decides who is asked, and how`(
            _ policy: BiometricPolicy, _ system: LAPolicy, _ fallback: String?, _ flag: UInt
        ) async throws {
            let prompt = BiometricPrompt(reason: "why", cancelTitle: "No", policy: policy)
            _ = try await device.makeKey("a", prompt).signature(of: [1], prompt)
            let question = try #require(person.questions.first)
            #expect(question.policy == system && question.reason == "why")
            #expect(question.cancel == "No" && question.fallback == fallback)
            let item = try #require(keychain.contents.first { $0["class"] as? String == "keys" })
            #expect(item["pdmn"] as? String == "akpu")
            let flags = try #require(item["flags"] as? SecAccessControlCreateFlags)
            #expect(flags.rawValue == 1 << 30 | flag)
        }

        @Test(arguments: [
            (LAError.Code.userCancel, AuthError.Code.cancelled), (.systemCancel, .cancelled),
            (.userFallback, .cancelled), (.authenticationFailed, .biometricFailed),
            (.biometryLockout, .biometricLockout), (.notInteractive, .unavailable),
        ])
        func `whoever is not recognised gets nothing, and loses nothing`(
            _ refusal: LAError.Code, _ code: AuthError.Code
        ) async throws {
            let key = try await device.makeKey("a", Self.prompt)
            try await device.keepSecret([1, 2], "s", .currentBiometry)
            person.answer = .refused(refusal)
            await #expect(throws: AuthError(code, "")) { _ = try await key.signature(of: [1], Self.prompt) }
            await #expect(throws: AuthError(code, "")) { _ = try await device.secret("s", Self.prompt) }
            await #expect(throws: AuthError(code, "")) { try await device.recognise(Self.prompt) }
            person.answer = .recognised
            _ = try await key.signature(of: [1], Self.prompt)
            #expect(try await device.secret("s", Self.prompt) == [1, 2])
        }

        @Test(arguments: [
            (LAError.Code.biometryNotAvailable, AuthError.Code.biometricUnsupported),
            (.biometryNotEnrolled, .biometricNoEnrollment), (.passcodeNotSet, .biometricNoPasscode),
            (.biometryLockout, .biometricLockout),
        ])
        func `what is missing has a name`(_ missing: LAError.Code, _ code: AuthError.Code) async throws {
            try await device.checkSupport(.currentBiometry)
            person.missing = missing
            await #expect(throws: AuthError(code, "")) { try await device.checkSupport(.currentBiometry) }
            await #expect(throws: AuthError(code, "")) { _ = try await device.makeKey("a", Self.prompt) }
            await #expect(throws: AuthError(code, "")) { try await device.keepSecret([1], "s", .anyBiometry) }
            #expect(keychain.contents.isEmpty)
        }

        @Test func `a secret is kept, found without asking, replaced and removed`() async throws {
            #expect(try await !device.hasSecret("s"))
            #expect(try await device.secret("s", Self.prompt) == nil)
            try await device.keepSecret([1], "s", .anyBiometry)
            try await device.keepSecret([2, 3], "s", .currentBiometry)
            #expect(try await device.hasSecret("s"))
            #expect(person.questions.isEmpty)
            #expect(try await device.secret("s", Self.prompt) == [2, 3])
            #expect(person.questions.count == 1)
            try await device.removeSecret("s")
            try await device.removeSecret("s")
            #expect(try await !device.hasSecret("s"))
        }

        @Test func `another finger ends what was made for the present ones, and nothing else`() async throws {
            let key = try await device.makeKey("current", Self.prompt)
            let anyPrompt = BiometricPrompt(reason: "x", policy: .anyBiometry)
            _ = try await device.makeKey("any", anyPrompt)
            try await device.keepSecret([1], "s", .currentBiometry)
            keychain.enrolAnother()
            await #expect(throws: AuthError(.biometricKeyNotFound, "")) {
                _ = try await key.signature(of: [1], Self.prompt)
            }
            #expect(try await device.key("current") == nil)
            #expect(try await !device.hasSecret("s"))
            #expect(try await device.key("any") != nil)
        }

        @Test func `the passcode's removal ends all of it`() async throws {
            _ = try await device.makeKey("a", Self.prompt)
            try await device.keepSecret([1], "s", .biometryOrPasscode)
            keychain.removePasscode()
            #expect(try await device.key("a") == nil)
            #expect(try await !device.hasSecret("s"))
        }

        @Test(arguments: [false, true])
        func `a closed keychain hides keys and secrets, and does not lose them`(hides: Bool) async throws {
            _ = try await device.makeKey("a", Self.prompt)
            try await device.keepSecret([1], "s", .anyBiometry)
            keychain.wasUnlocked = false
            keychain.hidesLockedItems = hides
            await #expect(throws: AuthError(.storeUnavailable, "")) { _ = try await device.key("a") }
            keychain.wasUnlocked = true
            #expect(try await device.key("a") != nil)
            #expect(try await device.secret("s", Self.prompt) == [1])
        }

        @Test func `one key a name, and a machine without an Enclave says so`() async throws {
            let first = try await device.makeKey("a", Self.prompt)
            let second = try await device.makeKey("a", Self.prompt)
            #expect(first.publicKey != second.publicKey)
            #expect(keychain.contents.count { $0["class"] as? String == "keys" } == 1)
            try await device.removeKey("a")
            #expect(try await device.key("a") == nil)
            for failure in SecurityFailureTests.noEnclave {
                keychain.enclaveFailure = failure
                await #expect(throws: AuthError(.biometricUnsupported, "")) {
                    _ = try await device.makeKey("a", Self.prompt)
                }
            }
        }

        @Test(arguments: [BiometricPolicy.currentBiometry, .biometryOrPasscode])
        func `an app that does not say why it wants to see a face does not ask for one`(
            _ policy: BiometricPolicy
        ) async throws {
            let prompt = BiometricPrompt(reason: "to sign in", policy: policy)
            let key = try await device.makeKey("a", prompt)
            person.sensor = .faceID
            await #expect(throws: AuthError(.misconfigured, "")) { try await device.checkSupport(policy) }
            await #expect(throws: AuthError(.misconfigured, "")) { try await device.recognise(prompt) }
            await #expect(throws: AuthError(.misconfigured, "")) { _ = try await key.signature(of: [1], prompt) }
            #expect(person.questions.isEmpty)
            let info = ["NSFaceIDUsageDescription": "To sign you in"]
            try AppleRecognition.checkSupport(policy) { info[$0] }
            try await AppleRecognition(prompt).ask(prompt) { info[$0] }
            #expect(person.questions.count == 1)
            person.sensor = .opticID
            try await device.recognise(prompt)
        }

        @Test func `cancelling the task closes the question`() async throws {
            person.answer = .hesitates
            let waiting = Task { try await device.recognise(Self.prompt) }
            while person.questions.isEmpty { await Task.yield() }
            try await Task.sleep(for: .milliseconds(20))
            waiting.cancel()
            await #expect(throws: AuthError(.cancelled, "")) { try await waiting.value }
        }

        @Test func `the device says which model it is`() {
            let names = AppleDeviceInfo.json()["ios"]?["uname"]
            #expect(names?["machine"]?.stringValue?.isEmpty == false)
            // It may be the person's name.
            #expect(names?["nodename"] == nil)
        }
    }
}
