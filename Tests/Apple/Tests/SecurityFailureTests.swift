import Foundation
import KeyturnBase
import LocalAuthentication
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("Why a key cannot be made or used")
    struct SecurityFailureTests {
        let keychain = emptyKeychain()
        let device = AppleBiometrics()
        static let prompt = BiometricPrompt(reason: "to sign in")

        init() {
            StandInPerson.shared.reset()
        }

        static func error(_ domain: String, _ code: Int, under: NSError? = nil) -> NSError {
            NSError(domain: domain, code: code, userInfo: under.map { [NSUnderlyingErrorKey: $0] } ?? [:])
        }

        private static func status(_ code: Int, under: NSError? = nil) -> NSError {
            error("NSOSStatusErrorDomain", code, under: under)
        }

        private static func token(_ code: Int) -> NSError { error("CryptoTokenKit", code) }

        /// What systems say where there is no Enclave: the present ones first.
        static let noEnclave = [
            status(-25_300, under: token(-7)), status(-25_300, under: token(-6)), status(-25_300),
            status(-4, under: token(-1)), status(-4), token(-1), token(-7),
        ]

        static let refusals: [(NSError, AuthError.Code)] = [
            (token(-4), .cancelled), (status(-128, under: token(-4)), .cancelled), (status(-128), .cancelled),
            (error("com.apple.LocalAuthentication", -2), .cancelled),
            (error("com.apple.LocalAuthentication", -4), .cancelled),
            (error("com.apple.LocalAuthentication", -9), .cancelled),
            (error("com.apple.LocalAuthentication", -1), .biometricFailed),
            (status(-25_293), .biometricFailed), (token(-5), .biometricFailed),
            // The same numbers in other domains mean something else.
            (status(-4), .storeUnavailable), (error("com.apple.LocalAuthentication", -6), .storeUnavailable),
            (error("NSCocoaErrorDomain", -25_300), .storeUnavailable), (token(-2), .storeUnavailable),
            (status(-25_308), .storeUnavailable),
        ]

        @Test(arguments: refusals)
        func `signing fails with what the domain and the number say, and the key stays`(
            _ failure: NSError, _ code: AuthError.Code
        ) async throws {
            let key = try await device.makeKey("a", Self.prompt)
            keychain.signingFailure = failure
            await #expect(throws: AuthError(code, "")) { _ = try await key.signature(of: [1], Self.prompt) }
            keychain.signingFailure = nil
            _ = try await key.signature(of: [1], Self.prompt)
        }

        @Test(arguments: [token(-6), status(-25_300), status(-25_300, under: token(-6))])
        func `a key that is gone is noticed`(_ failure: NSError) async throws {
            let key = try await device.makeKey("a", Self.prompt)
            keychain.signingFailure = failure
            await #expect(throws: AuthError(.biometricKeyNotFound, "")) {
                _ = try await key.signature(of: [1], Self.prompt)
            }
        }

        @Test(arguments: [token(-4), status(-128, under: token(-4))])
        func `a person who does not want a key made is no missing Enclave`(_ failure: NSError) async throws {
            keychain.enclaveFailure = failure
            await #expect(throws: AuthError(.cancelled, "")) { _ = try await device.makeKey("a", Self.prompt) }
            await #expect(throws: AuthError(.storeUnavailable, "")) { _ = try await SecureEnclaveKeys().makeKey("a") }
        }

        @Test func `a device key names what was said, and lasts`() async throws {
            let key = try await SecureEnclaveKeys().makeKey("a")
            keychain.signingFailure = Self.token(-2)
            let error = await #expect(throws: AuthError.self) { _ = try await key.signature(of: [1]) }
            #expect(error?.code == .storeUnavailable && error?.detail.contains("CryptoTokenKit -2") == true)
            keychain.signingFailure = nil
            _ = try await key.signature(of: [1])
        }

        @Test func `errors under errors are looked at so far and no farther`() {
            var failure = Self.token(-6)
            for _ in 0..<10 { failure = Self.error("Other", 1, under: failure) }
            #expect(SecurityFailure(of: failure).reasons.count == Limits.underlyingErrors)
            #expect(!SecurityFailure(of: failure).isKeyMissing)
            #expect(SecurityFailure(of: nil).reasons.isEmpty)
        }
    }
}
