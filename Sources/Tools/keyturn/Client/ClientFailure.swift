internal import Keyturn
internal import KeyturnBase
internal import KeyturnWire

/// What the library's errors mean to the person at the terminal.
enum ClientFailure {
    /// Runs `work`, and puts its errors into sentences that say what to do.
    ///
    /// - Parameter advice: The commands that the sentences name.
    static func explained<Result>(
        _ advice: Advice = .plain, _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch let error as AuthError {
            throw failure(for: error, advice: advice)
        }
    }

    /// The same at one server: says which issuer it names itself by, if that is another one.
    static func explained<Result>(
        at issuer: String, _ advice: Advice = .plain, transport: NetworkTransport = NetworkTransport(),
        _ work: () async throws -> Result
    ) async throws -> Result {
        do {
            return try await work()
        } catch let error as AuthError {
            throw await PublishedMetadata.otherIssuer(after: error, at: issuer, transport: transport)
                ?? failure(for: error, advice: advice)
        }
    }

    /// - Parameter advice: The commands that the sentence names.
    static func failure(for error: AuthError, advice: Advice = .plain) -> CommandFailure {
        switch error.code {
        case .unavailable: unreachable(error)
        case .signedOut, .sessionEnded, .tokenExpired, .deviceKeyLost, .storeKeyLost, .storeUnavailable:
            sessionFailure(for: error, advice)
        case .interactionRequired, .tokenMisdirected: pageFailure(for: error, advice)
        case .cancelled, .deviceCodeExpired, .linkExpired, .callbackMismatch, .passkeyTimeout:
            signInFailure(for: error, advice)
        case .refused:
            .refused("the service refuses: \(words(of: error)).")
        case .passkeyNotFound:
            .refused("\(error.detail). Name the account with --login-id, or make one with --sign-up.")
        case .misconfigured, .unsupported, .passkeyUnavailable, .passkeyDomain, .passkeyExcluded, .passkeyPIN:
            .refused("\(error.detail).")
        case .vaultWrongPassword, .vaultKeyLocked, .vaultKeyMissing, .vaultUnreachable, .vaultIncomplete:
            vaultFailure(for: error, advice)
        default: other(error)
        }
    }

    private static func unreachable(_ error: AuthError) -> CommandFailure {
        if let told = NetworkProblem.told(by: error) {
            return .unreachable("\(told.detail). Nobody was signed out.")
        }
        return .unreachable("the service cannot be reached (\(error.detail)). Nobody was signed out; try again.")
    }

    private static func sessionFailure(for error: AuthError, _ advice: Advice) -> CommandFailure {
        switch error.code {
        case .signedOut: .refused("nobody is signed in. Run `\(advice.login)`.")
        case .sessionEnded: .refused("the service has ended the session. Run `\(advice.login)`.")
        case .tokenExpired:
            .refused("the token has run out and cannot be renewed. Run `\(advice.login)`.")
        case .deviceKeyLost:
            .refused("the key that the session was bound to is gone from this machine. Run `\(advice.login)`.")
        case .storeKeyLost:
            .refused(
                "the stored session can never be read again: its key is gone from this machine, or what is stored is "
                    + "damaged. Run `\(advice.login)` to replace it, or `\(advice.command(["logout", "--force"]))` to "
                    + "remove it.")
        default: .failed("the stored session cannot be used now: \(error.detail). Nobody was signed out.")
        }
    }

    /// What ends with a visit to the service's page.
    private static func pageFailure(for error: AuthError, _ advice: Advice) -> CommandFailure {
        switch error.code {
        case .interactionRequired where advice.isSignIn:
            .refused("the sign-in did not work: \(error.detail). Run `\(advice.login)` again.")
        case .interactionRequired:
            .refused(
                "the service renews the session only after you were at its page"
                    + "\(error.server == nil ? "" : " (\(words(of: error)))"). Run `\(advice.login)`; until then the "
                    + "session stays as it is.")
        case _ where advice.isSignIn: other(error)
        default:
            .refused("the service answered for another user or client (\(error.detail)). Run `\(advice.login)`.")
        }
    }

    private static func signInFailure(for error: AuthError, _ advice: Advice) -> CommandFailure {
        switch error.code {
        case .cancelled where error.server?.code == OAuthProblem.Code.accessDenied.rawValue:
            .refused("the sign-in was refused on its page. Nobody was signed in.")
        case .cancelled: .refused("the sign-in was given up, or took too long. Run `\(advice.login)` again.")
        case .deviceCodeExpired: .refused("nobody typed the code in time. Run `\(advice.login)` again.")
        case .linkExpired: .refused("nobody followed the link in time. Run `\(advice.login)` again.")
        case .passkeyTimeout: .refused("nobody answered in time. Run `\(advice.login)` again.")
        default: .refused("the sign-in did not work: \(error.detail). Run `\(advice.login)` again.")
        }
    }

    private static func vaultFailure(for error: AuthError, _ advice: Advice) -> CommandFailure {
        switch error.code {
        case .vaultUnreachable:
            .unreachable(
                NetworkProblem.told(by: error).map { "\($0.detail). Nothing was unlocked." }
                    ?? "the key service cannot be reached. Nothing was unlocked; try again.")
        case .vaultWrongPassword:
            switch error.remainingAttempts {
            case nil: .refused("the PIN is wrong.")
            case 1: .refused("the PIN is wrong. One more wrong one locks the key for good.")
            case .some(let left): .refused("the PIN is wrong. \(left) tries are left.")
            }
        case .vaultIncomplete: .refused("no session lies under a PIN. Run `\(advice.login)`.")
        default:
            .refused(
                "the key is \(error.isKeyLocked ? "locked: too many wrong PINs" : "not known any more"). Run "
                    + "`\(advice.login)`, then `\(advice.command(["lock", "--new-pin"]))`.")
        }
    }

    private static func other(_ error: AuthError) -> CommandFailure {
        .failed("\(error.detail) (\(error.code.rawValue)).")
    }

    /// The service's own, if it said any.
    private static func words(of error: AuthError) -> String {
        let words = [error.server?.code, error.server?.description].compactMap(\.self)
        return words.isEmpty ? error.detail : words.joined(separator: ": ")
    }
}
