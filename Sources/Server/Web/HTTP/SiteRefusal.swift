internal import HTTPTypes
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire
internal import SignIn

/// Why a request of the passkey service is refused, with the status.
struct SiteRefusal: Error {
    let error: PasskeyServiceError
    let status: Int
    /// When another request may be answered; `nil`: repeating this one does not help.
    let retryAfterSeconds: Int64?

    init(_ code: PasskeyErrorCode, _ status: Int, _ message: String, retryAfterSeconds: Int64? = nil) {
        error = PasskeyServiceError(code: code, message: message)
        self.status = status
        self.retryAfterSeconds = retryAfterSeconds
    }

    init(_ problem: SiteProblem) {
        switch problem {
        case .passkey(.deactivated):
            self.init(.usingDeactivatedCredential, 403, "The credential is switched off")
        case .passkey(let problem): self.init(.invalidInput, 400, Self.sentence(problem))
        case .nameInvalid: self.init(.invalidInput, 400, "The name is empty or too long")
        case .tokenUnknown:
            self.init(.tokenNotFound, 404, "The token is unknown, was redeemed before, or is of the other kind")
        case .tokenExpired: self.init(.tokenExpired, 400, "The token was redeemed too late")
        case .unknown: self.init(.entityNotFound, 404, "There is no such credential")
        case .usernameDiffers: self.init(.usernameCannotChange, 409, "The user has another username already")
        case .usernameTaken:
            self.init(.usernameInUseByDifferentAccount, 409, "Another user has that username")
        case .secretKeyUnknown: self.init(.secretKeyNotFound, 401, "There is no such secret key")
        case .attestationDemanded:
            self.init(
                .permissionViolation, 403, "This relying party takes only passkeys whose attestation was checked here")
        case .tooManyRequests(let seconds):
            self.init(
                .tooManyRequests, 429, "There were too many requests from this network: wait for \(seconds) seconds",
                retryAfterSeconds: seconds)
        }
    }

    init(_ problem: SiteImportProblem) {
        let (code, status, sentence): (PasskeyErrorCode, Int, String) =
            switch problem.reason {
            case .keyInvalid(let detail): (.invalidInput, 400, "the public key is refused: \(detail)")
            case .userInvalid: (.invalidInput, 400, "the user's id or username is empty or too long")
            case .aaguidInvalid: (.invalidInput, 400, "the aaguid is none")
            case .transportInvalid: (.invalidInput, 400, "a transport is none, or is there twice")
            case .nameInvalid: (.invalidInput, 400, "the name is empty, too long, or has control characters")
            case .createdLater: (.invalidInput, 400, "createdAt is in the future")
            case .taken: (.credentialAlreadyRegistered, 409, "it is registered already, or is there twice")
            case .tooMany: (.invalidInput, 400, "the user has too many credentials")
            case .usernameDiffers: (.usernameCannotChange, 409, "the user has another username already")
            case .usernameTaken: (.usernameInUseByDifferentAccount, 409, "another user has that username")
            }
        self.init(code, status, "credentials[\(problem.index)]: \(sentence). Nothing was imported")
    }

    /// The problem's text. Problems that could tell whose credential it is share one text.
    private static func sentence(_ problem: PasskeyProblem) -> String {
        switch problem {
        case .malformed: "The credential field is not a credential"
        case .challengeUnknown: "The challenge is not one of this relying party's for that user: ask for options first"
        case .challengeExpired: "The challenge has expired: ask for options again"
        case .challengeSpent: "The challenge was answered before: ask for options again"
        case .credentialTaken: "The credential is registered already"
        case .tooMany: "The user has too many credentials: delete one first"
        case .overtaken: "The credential was changed or used at the same moment: try again"
        case .refused(let problem) where problem.rule == .originNotAllowed:
            "The page's origin is not one of this relying party's"
        case .refused, .credentialUnknown, .deactivated: "The credential was not accepted"
        }
    }
}

extension Response {
    static func envelope(_ envelope: PasskeyEnvelope) -> Response {
        .json(envelope.json.serialized)
    }

    static func envelope(_ refusal: SiteRefusal) -> Response {
        var headers: HTTPFields = [:]
        headers[.retryAfter] = refusal.retryAfterSeconds.map(String.init)
        return .json(
            PasskeyEnvelope(refusal: refusal.error).json.serialized, status: .init(code: refusal.status),
            headers: headers)
    }
}
