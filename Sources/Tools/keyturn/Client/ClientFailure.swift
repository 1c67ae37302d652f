internal import Keyturn
internal import KeyturnBase
internal import KeyturnWire

/// What the library's errors mean to the person at the terminal.
enum ClientFailure {
    /// Runs `work`, and puts its errors into sentences that say what to do.
    static func explained<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as AuthError {
            throw failure(for: error)
        }
    }

    /// The same at one server: says which issuer it names itself by, if that is another one.
    static func explained<Result>(at issuer: String, _ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as AuthError {
            throw await PublishedMetadata.otherIssuer(after: error, at: issuer) ?? failure(for: error)
        }
    }

    static func failure(for error: AuthError) -> CommandFailure {
        switch error.code {
        case .unavailable:
            .unreachable("the service cannot be reached (\(error.detail)). Nobody was signed out; try again.")
        case .signedOut:
            .refused("nobody is signed in. Run `keyturn login --issuer URL`.")
        case .sessionEnded:
            .refused("the service has ended the session. Run `keyturn login`.")
        case .tokenExpired:
            .refused("the token has run out and cannot be renewed. Run `keyturn login`.")
        case .cancelled where error.server?.code == OAuthProblem.Code.accessDenied.rawValue:
            .refused("the sign-in was refused on its page. Nobody was signed in.")
        case .deviceCodeExpired:
            .refused("nobody typed the code in time. Run `keyturn login --device` again.")
        case .cancelled:
            .refused("the sign-in was given up, or took too long. Run `keyturn login` again.")
        case .linkExpired:
            .refused("nobody followed the link in time. Run `keyturn login` again.")
        case .interactionRequired, .callbackMismatch:
            .refused("the sign-in did not work: \(error.detail). Run `keyturn login` again.")
        case .refused:
            .refused("the service refuses: \(words(of: error)).")
        case .passkeyTimeout:
            .refused("nobody answered in time. Run `keyturn login` again.")
        case .passkeyNotFound:
            .refused("\(error.detail). Name the account with --login-id, or make one with --sign-up.")
        case .misconfigured, .unsupported, .passkeyUnavailable, .passkeyDomain, .passkeyExcluded, .passkeyPIN:
            .refused("\(error.detail).")
        case .vaultWrongPassword, .vaultKeyLocked, .vaultKeyMissing, .vaultUnreachable, .vaultIncomplete:
            vaultFailure(for: error)
        case .storeUnavailable:
            .failed("the stored session cannot be used now: \(error.detail). Nobody was signed out.")
        default:
            .failed("\(error.detail) (\(error.code.rawValue)).")
        }
    }

    private static func vaultFailure(for error: AuthError) -> CommandFailure {
        switch error.code {
        case .vaultUnreachable: .unreachable("the key service cannot be reached. Nothing was unlocked; try again.")
        case .vaultWrongPassword:
            switch error.remainingAttempts {
            case nil: .refused("the PIN is wrong.")
            case 1: .refused("the PIN is wrong. One more wrong one locks the key for good.")
            case .some(let left): .refused("the PIN is wrong. \(left) tries are left.")
            }
        case .vaultIncomplete: .refused("no session lies under a PIN. Run `keyturn login`.")
        default:
            .refused(
                "the key is \(error.isKeyLocked ? "locked: too many wrong PINs" : "not known any more"). Run "
                    + "`keyturn login`, then `keyturn lock --new-pin`.")
        }
    }

    private static func words(of error: AuthError) -> String {
        let words = [error.server?.code, error.server?.description].compactMap(\.self)
        return words.isEmpty ? error.detail : words.joined(separator: ": ")
    }
}
