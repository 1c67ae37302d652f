internal import CPKCS11

/// Why a token cannot be used.
public enum PKCS11Problem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The module is no library that this process can load, with the loader's words.
    case module(String)
    /// No slot has a token of this label.
    case noToken(String)
    /// The token refuses the PIN.
    case pin
    /// The token has no such key.
    case noKey
    /// An answer of the module, by its number (`CKR_…`).
    case refused(UInt)
    /// The token makes no keys for the algorithm, or this release does not ask it to.
    case unsupported(String)
    /// A key, or a signature, is not what was asked for.
    case malformed

    public var description: String {
        switch self {
        case .module(let words): "the module cannot be loaded: \(words)"
        case .noToken(let label): "no token has the label \(label)"
        case .pin: "the token refuses the PIN, or has locked it"
        case .noKey: "the token has no such key"
        case .refused(let code): "the module answers with 0x\(String(code, radix: 16))"
        case .unsupported(let algorithm): "keys for \(algorithm) are not made in a token: say ES256 or RS256"
        case .malformed: "the token's answer is not what was asked for"
        }
    }

    init(_ code: CK_RV, label: String) {
        switch code {
        case CKR_TOKEN_NOT_PRESENT: self = .noToken(label)
        case CKR_PIN_INCORRECT, CKR_PIN_LOCKED, CKR_PIN_LEN_RANGE, CKR_PIN_INVALID, CKR_PIN_EXPIRED,
            CKR_USER_PIN_NOT_INITIALIZED:
            self = .pin
        case CKR_OBJECT_HANDLE_INVALID, CKR_KEY_HANDLE_INVALID: self = .noKey
        default: self = .refused(UInt(code))
        }
    }

    /// Whether a new session may help: the token was away, or has forgotten this process.
    var isOfSession: Bool {
        guard case .refused(let code) = self else { return self == .noKey }
        return [
            CKR_SESSION_HANDLE_INVALID, CKR_SESSION_CLOSED, CKR_USER_NOT_LOGGED_IN, CKR_DEVICE_ERROR,
            CKR_DEVICE_REMOVED,
            CKR_OPERATION_ACTIVE, CKR_GENERAL_ERROR,
        ].contains(CK_RV(code))
    }
}
