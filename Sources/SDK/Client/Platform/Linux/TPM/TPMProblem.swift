#if os(Linux)
    internal import KeyturnBase

    /// Why a TPM did not do what it was asked to.
    enum TPMProblem: Error, Equatable {
        /// It cannot be reached.
        case unreachable(String)
        /// Its answer is none.
        case malformed
        /// What it was given was not made by it, or before it was cleared.
        case foreign
        /// It refused, with this response code (TPM 2.0 Part 2, 6.6).
        case refused(UInt32)
    }

    extension TPMProblem {
        /// The same for the border of this module, with what a person can do about it.
        var authError: AuthError {
            switch self {
            case .unreachable(let reason):
                AuthError(
                    .storeUnavailable, "the TPM cannot be reached (\(reason)): may this user open /dev/tpmrm0?",
                    cause: self)
            case .malformed: AuthError(.storeUnavailable, "the TPM answered what makes no sense", cause: self)
            case .foreign: AuthError(.storeUnavailable, "the TPM does not know what it was given", cause: self)
            case .refused(let code):
                AuthError(.storeUnavailable, "the TPM refused (0x\(String(code, radix: 16)))", cause: self)
            }
        }
    }
#endif
