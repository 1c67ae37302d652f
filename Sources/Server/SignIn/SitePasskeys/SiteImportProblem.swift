internal import KeyturnWebAuthn
internal import Model

/// Why an import was refused: the first credential that is wrong, and what is wrong with it.
public struct SiteImportProblem: Error, Hashable, Sendable {
    /// What is wrong with the credential.
    public enum Reason: Hashable, Sendable {
        /// No public key, or one that is too weak or of an algorithm that is not supported; `detail` is for developers.
        case keyInvalid(detail: String)
        /// The user's identifier or name is empty or too long when case and compatibility forms are folded.
        case userInvalid
        case aaguidInvalid
        case transportInvalid
        case nameInvalid
        /// It says that it was registered in the future.
        case createdLater
        /// It is registered already, or stands twice in the import.
        case taken
        case tooMany
        case usernameDiffers
        case usernameTaken
    }

    /// The place of the credential in the request, from 0.
    public let index: Int
    public let reason: Reason
}

extension SiteImportProblem.Reason {
    init(_ refusal: PasskeyAddition) {
        self =
            switch refusal {
            case .tooMany: .tooMany
            case .usernameDiffers: .usernameDiffers
            case .usernameTaken: .usernameTaken
            case .taken, .added, .spent, .overtaken: .taken
            }
    }
}
