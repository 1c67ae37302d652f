import AuthenticationServices
import Foundation
import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("Sign in with Apple")
    @MainActor struct AppleIDSignInTests {
        let system = StandInAuthorization.shared
        let window = ASPresentationAnchor()
        static let start = NativeSocialStart(
            provider: .apple, clientID: "com.example.app", nonce: "N1", takesIDToken: true, stateID: "S1")

        init() {
            StandInAuthorization.shared.reset()
        }

        var sheet: AppleIDSignIn {
            let window = window
            return AppleIDSignIn { window }
        }

        @Test func `the service's nonce goes into the request unchanged, and the answer comes back`() async throws {
            var name = PersonNameComponents()
            name.givenName = "Ann"
            name.familyName = "Lee"
            system.answers = [
                .credential(
                    ASAuthorizationAppleIDCredential(standIn: Data("token".utf8), Data("code".utf8), name))
            ]
            let credential = try await sheet.credential(for: Self.start)
            #expect(credential.idToken == Secret("token") && credential.code == Secret("code"))
            #expect(credential.name == NativeSocialName(firstName: "Ann", lastName: "Lee"))
            let shown = try #require(system.sheets.first)
            let request = try #require(shown.requests.first as? ASAuthorizationAppleIDRequest)
            #expect(request.nonce == "N1" && request.requestedScopes == [.fullName, .email])
            #expect(shown.window === window && shown.requests.count == 1)
        }

        @Test func `a later sign-in has no name`() async throws {
            system.answers = [
                .credential(
                    ASAuthorizationAppleIDCredential(standIn: Data("token".utf8), nil, PersonNameComponents()))
            ]
            let credential = try await sheet.credential(for: Self.start)
            #expect(credential.name == nil && credential.code == nil)
        }

        @Test(arguments: [
            (ASAuthorizationError.Code.canceled, AuthError.Code.cancelled), (.unknown, .cancelled),
            (.failed, .providerFailed), (.fromTheFuture, .providerFailed),
        ])
        func `a closed sheet is a cancel, and anything else a failure`(
            _ code: ASAuthorizationError.Code, _ expected: AuthError.Code
        ) async throws {
            system.answers = [.failure(ASAuthorizationError(code))]
            let error = await #expect(throws: AuthError.self) { try await sheet.credential(for: Self.start) }
            #expect(error?.code == expected)
        }

        @Test func `without a window nothing is shown`() async throws {
            let sheet = AppleIDSignIn { nil }
            await #expect(throws: AuthError(.misconfigured, "")) { try await sheet.credential(for: Self.start) }
            #expect(system.sheets.isEmpty)
        }
    }
}
