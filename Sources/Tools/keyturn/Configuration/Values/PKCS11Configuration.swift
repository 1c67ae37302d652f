internal import KeyturnBase
internal import KeyturnJose
internal import Model
internal import PKCS11

/// A PKCS #11 token for signing keys.
struct PKCS11Configuration: Sendable {
    /// The file of the module.
    let module: String
    /// The token's label.
    let token: String
    let pin: Secret
}

extension ServerConfiguration {
    /// Where signing keys are kept; `nil`: in the database.
    ///
    /// - Throws: ``CommandFailure`` if the token cannot be used.
    func signingKeyProvider() throws -> (any SigningKeyProvider)? {
        guard let pkcs11 else { return nil }
        do throws(PKCS11Problem) {
            return try PKCS11Token(module: pkcs11.module, token: pkcs11.token, pin: pkcs11.pin, ambient: .live)
        } catch {
            throw CommandFailure.refused("pkcs11: \(error).")
        }
    }

    /// - Throws: ``CommandFailure`` if a signing key of the database is in a token that is not named, or lacks it.
    func check(_ rotation: KeyRotation) async throws {
        do {
            try await rotation.checkKeysElsewhere()
        } catch let problem as PKCS11Problem {
            throw CommandFailure.refused("pkcs11: a signing key of this database: \(problem).")
        } catch let problem as JoseProblem {
            throw CommandFailure.refused(
                "a signing key of this database: \(problem.detail). Name its token under pkcs11, with --config.")
        }
    }
}
