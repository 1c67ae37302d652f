internal import KeyturnBase

/// What this platform recognises a person with when the app brings nothing.
enum PlatformBiometrics {
    /// - Parameter store: Where a device without a place of its own keeps what it must remember.
    static func make(store: any SessionStore, ambient: Ambient) -> any BiometricDevice {
        #if os(Linux)
            LinuxBiometrics(
                store: store, keys: .automatic, addresses: BusAddress.systemEnvironment(), ambient: ambient)
        #elseif canImport(LocalAuthentication) && !os(tvOS) && !os(watchOS)
            AppleBiometrics()
        #else
            NoBiometrics()
        #endif
    }
}

/// Stands where no sensor is.
struct NoBiometrics: BiometricDevice {
    var outlivesProcess: Bool { false }

    func checkSupport(_ policy: BiometricPolicy) async throws(AuthError) { throw Self.unsupported }
    func recognise(_ prompt: BiometricPrompt) async throws(AuthError) { throw Self.unsupported }

    func makeKey(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> any BiometricKey {
        throw Self.unsupported
    }

    func key(_ name: String) async throws(AuthError) -> (any BiometricKey)? { nil }
    func removeKey(_ name: String) async throws(AuthError) {}

    func keepSecret(_ secret: [UInt8], _ name: String, _ policy: BiometricPolicy) async throws(AuthError) {
        throw Self.unsupported
    }

    func hasSecret(_ name: String) async throws(AuthError) -> Bool { false }
    func secret(_ name: String, _ prompt: BiometricPrompt) async throws(AuthError) -> [UInt8]? { nil }
    func removeSecret(_ name: String) async throws(AuthError) {}

    private static let unsupported = AuthError(
        .biometricUnsupported, "there is nothing here to recognise a person by: pass a BiometricDevice")
}
