import Foundation
import Keyturn
import KeyturnBase
import KeyturnUI
import KeyturnWebAuthn
import SwiftUI

/// A container whose browser and network do what a test says.
@MainActor final class Device {
    let auth: Keyturn
    let browser = NotingBrowser()
    let network = SilentNetwork()

    init(_ service: Service? = nil, store: MemoryStore = MemoryStore(), passkeys: (any PasskeyAuthenticator)? = nil) {
        auth = Keyturn(
            service ?? .keyturn(issuer: "https://id.example.com", clientID: "app"), name: "device",
            storage: .custom(store), browser: browser, authenticator: passkeys, transport: network)
    }

    /// Begins a session without asking a service.
    func signIn(_ subject: String) async throws {
        try await auth.sessionManager.storeSession(
            ManagedSession(accessToken: "token-\(subject)", userClaims: ["sub": .string(subject)]))
    }
}

extension StandInHost {
    /// Draws until there is what is asked for, ten seconds at most.
    func draws(_ what: () -> Bool) async -> Bool {
        for _ in 0..<2_000 {
            draw()
            if what() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}

/// A browser that shows nothing: it notes over which window it would, and fails or waits.
final class NotingBrowser: BrowserAgent {
    struct Notes: Sendable {
        var windows: [ObjectIdentifier?] = []
        var waits = false
        var cancels = 0
    }

    let notes = Locked(Notes())

    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        let window = await MainActor.run { PresentationWindow.current.map { ObjectIdentifier($0) } }
        let waits = notes.withLock { notes in
            notes.windows.append(window)
            return notes.waits
        }
        guard waits else { throw AuthError(.misconfigured, "this browser shows nothing") }
        try? await Task.sleep(for: .seconds(60))
        notes.withLock { $0.cancels += 1 }
        throw AuthError(.cancelled, "closed")
    }
}

/// A network that is down: each request is noted, and fails at once or waits until its task is cancelled.
final class SilentNetwork: HTTPTransport {
    struct Notes: Sendable {
        var urls: [String] = []
        var waits = false
        var cancels = 0
    }

    let notes = Locked(Notes())

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        let waits = notes.withLock { notes in
            notes.urls.append(request.url)
            return notes.waits
        }
        guard waits else { throw AuthError(.unavailable, "the network is down") }
        try? await Task.sleep(for: .seconds(60))
        notes.withLock { $0.cancels += 1 }
        throw AuthError(.unavailable, "cancelled")
    }
}

/// An authenticator that may offer passkeys in forms, and has none.
struct OfferingPasskeys: PasskeyAuthenticator {
    var autofill = true

    var availability: PasskeyAvailability {
        get async { PasskeyAvailability(passkeys: true, securityKeys: false, autofill: autofill) }
    }

    func create(
        _ options: PublicKeyCredentialCreationOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> RegistrationResponse {
        throw AuthError(.cancelled, "none")
    }

    func get(
        _ options: PublicKeyCredentialRequestOptions, in ceremony: PasskeyCeremony
    ) async throws(AuthError) -> KeyturnWebAuthn.AuthenticationResponse {
        throw AuthError(.cancelled, "none")
    }
}
