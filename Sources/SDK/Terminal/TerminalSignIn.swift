internal import Foundation
public import Keyturn
public import KeyturnBase

extension Keyturn {
    /// Signs a user in at a terminal: shows an address, a code and a QR code, and counts down while the user agrees on
    /// another device (RFC 8628).
    ///
    /// ```swift
    /// let result = try await auth.terminalSignIn()
    /// ```
    ///
    /// Works over a remote shell and in containers, where no browser can be opened. A file or a program that reads along
    /// gets the text without a picture. Cancel the task to give up; Ctrl-C ends the program as ever. For a screen of your
    /// own use `deviceSignIn`.
    ///
    /// - Parameters:
    ///   - options: What to ask for.
    ///   - output: Where to write.
    /// - Throws: as `deviceSignIn`: among others `sign_in.cancelled` if the user refused or the task was cancelled,
    ///   `sign_in.device_code_expired`, `service.unsupported` if the service has no device authorization.
    @discardableResult
    public func terminalSignIn(
        _ options: DeviceSignInOptions = DeviceSignInOptions(), output: TerminalOutput = .standardOutput
    ) async throws(AuthError) -> SignInResult {
        let screen = DeviceScreen(output, uptime: Ambient.live.uptime)
        let clock = Task {
            while (try? await Task.sleep(for: .seconds(1))) != nil { screen.tick() }
        }
        defer {
            clock.cancel()
            screen.finish()
        }
        return try await deviceSignIn(options) { progress in screen.show(progress) }
    }
}
