import AuthenticationServices
import Foundation
import KeyturnBase
import KeyturnWebAuthn
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("The system's passkeys")
    @MainActor struct ApplePasskeysTests {
        let system = StandInAuthorization.shared
        let window = ASPresentationAnchor()
        typealias PlatformRegistration = ASAuthorizationPlatformPublicKeyCredentialRegistrationRequest
        typealias PlatformAssertion = ASAuthorizationPlatformPublicKeyCredentialAssertionRequest
        typealias KeyRegistration = ASAuthorizationSecurityKeyPublicKeyCredentialRegistrationRequest
        typealias KeyAssertion = ASAuthorizationSecurityKeyPublicKeyCredentialAssertionRequest

        static let ceremony = PasskeyCeremony(origin: "https://example.com")
        static let made = StandInAuthorization.Answer.credential(
            ASAuthorizationPlatformPublicKeyCredentialRegistration(standIn: Data([9]), Data([1]), Data([2])))
        static let signed = StandInAuthorization.Answer.credential(
            ASAuthorizationPlatformPublicKeyCredentialAssertion(
                standIn: Data([9]), Data([1]), Data([3]), Data([4]), Data([5])))

        init() {
            StandInAuthorization.shared.reset()
        }

        var passkeys: ApplePasskeys {
            let window = window
            return ApplePasskeys { window }
        }

        static func creation() -> PublicKeyCredentialCreationOptions {
            PublicKeyCredentialCreationOptions(
                rpID: "example.com", rpName: "Ex", user: .init(id: [1, 2], name: "a@b", displayName: "Ann"),
                challenge: [7, 7], algorithms: [-8, -7],
                excludeCredentials: [CredentialDescriptor(id: [6], transports: ["usb", "hybrid"])],
                authenticatorSelection: .init(residentKey: .required, userVerification: .required),
                attestation: .direct)
        }

        static func request(_ ids: [UInt8]...) -> PublicKeyCredentialRequestOptions {
            PublicKeyCredentialRequestOptions(
                challenge: [7, 7], rpID: "example.com", allowCredentials: ids.map { CredentialDescriptor(id: $0) },
                userVerification: .discouraged)
        }

        func failure(_ answers: StandInAuthorization.Answer...) async throws -> AuthError {
            system.answers = answers
            do throws(AuthError) {
                _ = try await passkeys.create(Self.creation(), in: Self.ceremony)
            } catch {
                return error
            }
            throw AuthError(.refused, "this was to fail")
        }

        @Test func `a passkey and a security key are offered, each as the options say`() async throws {
            system.answers = [Self.made]
            let response = try await passkeys.create(Self.creation(), in: Self.ceremony)
            #expect(response.id == [9] && response.clientDataJSON == [1] && response.attestationObject == [2])
            #expect(response.authenticatorAttachment == "platform" && response.transports.isEmpty)
            let sheet = try #require(system.sheets.first)
            #expect(sheet.window === window && !sheet.isAutoFill && sheet.requests.count == 2)
            let platform = try #require(sheet.requests[0] as? PlatformRegistration)
            #expect(platform.relyingPartyIdentifier == "example.com" && platform.challenge == Data([7, 7]))
            #expect(platform.name == "a@b" && platform.displayName == "Ann" && platform.userID == Data([1, 2]))
            #expect(platform.userVerificationPreference == .required && platform.attestationPreference == .direct)
            #expect(platform.excludedCredentials?.map(\.credentialID) == [Data([6])])
            #expect(platform.requestStyle == .standard)
            let key = try #require(sheet.requests[1] as? KeyRegistration)
            #expect(key.credentialParameters.map(\.algorithm.rawValue) == [-8, -7], "the service's, not ours")
            #expect(key.attestationPreference == .direct && key.residentKeyPreference == .required)
            #expect(key.userVerificationPreference == .required && key.displayName == "Ann")
            #expect(key.excludedCredentials.map(\.transports) == [[.usb]])
        }

        @Test func `who is asked follows the caller and the service`() async throws {
            var options = Self.creation()
            for (kinds, attachment, expected) in [
                (Set([PasskeyAuthenticatorKind.passkey]), nil, [true]), ([.securityKey], nil, [false]),
                (.all, "platform", [true]), (.all, "cross-platform", [false]), (.all, nil, [true, false]),
            ] as [(Set<PasskeyAuthenticatorKind>, String?, [Bool])] {
                system.reset()
                system.answers = [Self.made]
                options.authenticatorSelection.attachment = attachment
                _ = try await passkeys.create(
                    options, in: PasskeyCeremony(authenticators: kinds, origin: "https://example.com"))
                #expect(system.sheets[0].requests.map { $0 is PlatformRegistration } == expected)
            }
            options.authenticatorSelection.attachment = "cross-platform"
            let impossible = options
            await #expect(throws: AuthError(.passkeyUnavailable, "")) {
                try await passkeys.create(
                    impossible, in: PasskeyCeremony(authenticators: [.passkey], origin: "https://example.com"))
            }
        }

        @Test func `security keys are asked for credentials of a list alone`() async throws {
            system.answers = [Self.signed]
            _ = try await passkeys.get(Self.request(), in: Self.ceremony)
            #expect(system.sheets[0].requests.map { $0 is PlatformAssertion } == [true])
            #expect((system.sheets[0].requests[0] as? PlatformAssertion)?.allowedCredentials.isEmpty == true)
            _ = try await passkeys.get(Self.request([6], [8]), in: Self.ceremony)
            #expect(system.sheets[1].requests.map { $0 is PlatformAssertion } == [true, false])
            let key = try #require(system.sheets[1].requests[1] as? KeyAssertion)
            #expect(key.allowedCredentials.map(\.credentialID) == [Data([6]), Data([8])])
            #expect(key.allowedCredentials[0].transports == [.usb, .nfc, .bluetooth])
            #expect(key.userVerificationPreference == .discouraged)
            await #expect(throws: AuthError(.passkeyUnavailable, "")) {
                try await passkeys.get(
                    Self.request(), in: PasskeyCeremony(authenticators: [.securityKey], origin: "https://example.com"))
            }
        }

        @Test func `an assertion comes back whole, and a key need not say whose it is`() async throws {
            system.answers = [Self.signed]
            let response = try await passkeys.get(Self.request(), in: Self.ceremony)
            #expect(response.id == [9] && response.authenticatorData == [3] && response.signature == [5])
            #expect(response.userHandle == [4] && response.authenticatorAttachment == "platform")
            system.answers = [
                .credential(
                    ASAuthorizationSecurityKeyPublicKeyCredentialAssertion(
                        standIn: Data([9]), Data([1]), Data([3]), Data(), Data([5])))
            ]
            let key = try await passkeys.get(Self.request([9]), in: Self.ceremony)
            #expect(key.userHandle == nil && key.authenticatorAttachment == "cross-platform")
            system.answers = [
                .credential(
                    ASAuthorizationPlatformPublicKeyCredentialAssertion(
                        standIn: Data([9]), Data([1]), Data([3]), nil, nil))
            ]
            await #expect(throws: AuthError(.passkeyFailed, "")) {
                try await passkeys.get(Self.request(), in: Self.ceremony)
            }
        }

        @Test func `what the service says of mediation decides the form, the style and who is asked`() async throws {
            let quiet = PasskeyCeremony(mediation: "conditional", origin: "https://example.com")
            system.answers = [Self.signed]
            _ = try await passkeys.get(Self.request([9]), in: quiet)
            #expect(system.sheets[0].isAutoFill && system.sheets[0].requests.count == 1)
            system.answers = [Self.made]
            _ = try await passkeys.create(Self.creation(), in: quiet)
            #expect((system.sheets[1].requests.first as? PlatformRegistration)?.requestStyle == .conditional)
            #expect(system.sheets[1].requests.count == 1)
            let availability = await passkeys.availability
            #expect(
                availability
                    == PasskeyAvailability(
                        passkeys: true, securityKeys: true, autofill: true, upgrades: true, immediate: true))
        }

        static func reasoned(_ reason: String) -> ASAuthorizationError {
            ASAuthorizationError(.failed, userInfo: [NSLocalizedFailureReasonErrorKey: reason])
        }

        static let failures: [(any Error, AuthError.Code, String)] = [
            (ASAuthorizationError(.canceled), .cancelled, "canceled"),
            (ASAuthorizationError(.failed), .passkeyDomain, "failed"),
            (reasoned("Application with identifier T.a is not associated with domain b.c"), .passkeyDomain, "failed"),
            (reasoned("Unable to verify webcredentials association of T.a with domain b.c."), .passkeyDomain, "failed"),
            (reasoned("Request already in progress for specified application identifier."), .passkeyFailed, "failed"),
            (
                ASAuthorizationError(.deviceNotConfiguredForPasskeyCreation), .passkeyUnavailable,
                "deviceNotConfiguredForPasskeyCreation"
            ),
            (ASAuthorizationError(.preferSignInWithApple), .passkeyFailed, "unknown"),
            (ASAuthorizationError(.unknown), .passkeyFailed, "unknown"),
            (ASAuthorizationError(.invalidResponse), .passkeyFailed, "invalidResponse"),
            (ASAuthorizationError(.notHandled), .passkeyFailed, "notHandled"),
            (ASAuthorizationError(.notInteractive), .interactionRequired, "notInteractive"),
            (ASAuthorizationError(.matchedExcludedCredential), .passkeyExcluded, "matchedExcludedCredential"),
            (ASAuthorizationError(.fromTheFuture), .passkeyFailed, "unknown"),
            (CocoaError(.fileNoSuchFile), .passkeyFailed, "unknown"),
        ]

        @Test func `every failure of the system has its meaning`() async throws {
            for (thrown, code, native) in Self.failures {
                let error = try await failure(.failure(thrown))
                #expect(error.code == code)
                #expect(error.passkey?.native.rawValue == native)
                #expect(error.passkey?.system?.code == (thrown as NSError).code)
                #expect(error.passkey?.system?.domain == (thrown as NSError).domain)
            }
            let busy = try await failure(.failure(Self.reasoned("Request already in progress")))
            #expect(busy.passkey?.system?.reason == "Request already in progress")
        }

        @Test func `what must be there at once is not asked of keys, and shows nothing else`() async throws {
            var immediate = PasskeyCeremony(origin: "https://example.com")
            immediate.isImmediate = true
            system.answers = [Self.signed]
            _ = try await passkeys.get(Self.request([9]), in: immediate)
            #expect(system.sheets[0].options == .preferImmediatelyAvailableCredentials)
            #expect(system.sheets[0].requests.map { $0 is PlatformAssertion } == [true])
            _ = try await passkeys.get(Self.request([9]), in: Self.ceremony)
            #expect(system.sheets[1].options.isEmpty)
        }

        @Test func `an answer of another kind, or without its attestation, is none`() async throws {
            let password = try await failure(.credential(ASPasswordCredential()))
            #expect(password.passkey?.native == .unexpectedAuthorizationType)
            let crossed = try await failure(Self.signed)
            #expect(crossed.passkey?.native == .unexpectedAuthorizationType)
            let silent = try await failure(
                .credential(ASAuthorizationPlatformPublicKeyCredentialRegistration(standIn: Data([9]), Data([1]), nil)))
            #expect(silent.passkey?.native == .registrationDataMissing)
        }

        @Test func `the window is asked for each time, and without one nothing is shown`() async throws {
            let windows = Locked(0)
            let passkeys = ApplePasskeys {
                windows.withLock { $0 += 1 }
                return ASPresentationAnchor()
            }
            system.answers = [Self.made]
            _ = try await passkeys.create(Self.creation(), in: Self.ceremony)
            _ = try await passkeys.create(Self.creation(), in: Self.ceremony)
            #expect(windows.withLock { $0 } == 2)
            #expect(system.sheets[0].window !== system.sheets[1].window)
            let without = ApplePasskeys { nil }
            await #expect(throws: AuthError(.misconfigured, "")) {
                try await without.create(Self.creation(), in: Self.ceremony)
            }
            #expect(system.sheets.count == 2)
        }

        @Test func `a system that never calls back ends with the task, and its sheet goes away`() async throws {
            let (shows, show) = AsyncStream.makeStream(of: Void.self)
            system.onShow = { show.yield() }
            let passkeys = passkeys
            let task = Task { try await passkeys.create(Self.creation(), in: Self.ceremony) }
            var iterator = shows.makeAsyncIterator()
            _ = await iterator.next()
            #expect(system.cancels == 0)
            task.cancel()
            let error = await #expect(throws: AuthError.self) { try await task.value }
            #expect(error?.isTaskCancelled == true)
            #expect(system.cancels == 1)
        }

        @Test func `the first of several answers counts`() async throws {
            for _ in 0..<20 {
                let error = try await failure(.failure(ASAuthorizationError(.canceled)), Self.made)
                #expect(error.code == .cancelled)
            }
        }
    }
}
