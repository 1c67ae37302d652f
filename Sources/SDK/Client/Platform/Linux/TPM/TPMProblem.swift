#if os(Linux)
    internal import KeyturnBase

    /// Why a TPM did not do what it was asked to.
    enum TPMProblem: Error, Equatable {
        /// A library that speaks to TPMs is missing, or too old.
        case missing(String)
        /// It cannot be reached.
        case unreachable(String)
        /// Its answer is none, or was changed on the way.
        case malformed
        /// What it was given was not made by it, or before it was cleared.
        case foreign
        /// It refused, with this response code (TPM 2.0 Part 2, 6.6).
        case refused(UInt32)
    }

    extension TPMProblem {
        /// - Parameter code: What a function of the library returned. The third byte says which part of it, or the TPM
        ///   (TCG TSS 2.0 Overview, 3.1).
        init(_ code: UInt32) {
            switch code >> 16 {
            // The TPM, and a resource manager in its place.
            case 0, 11, 12:
                let code = code & 0xFFFF
                // Of the first format (bit 7), the integrity check: wrapped by another TPM, or by this one's former self.
                self = code & 0x80 != 0 && code & 0x3F == 0x1F ? .foreign : .refused(code)
            // The way to the TPM.
            case 10: self = .unreachable("0x" + String(code, radix: 16))
            default: self = .malformed
            }
        }

        /// Whether it may do the same in a moment (TPM_RC_RETRY, TPM_RC_YIELDED, TPM_RC_TESTING).
        var isBusy: Bool { [.refused(0x922), .refused(0x908), .refused(0x90A)].contains(self) }

        /// Whether others have filled it (TPM_RC_OBJECT_MEMORY, …SESSION_MEMORY, …MEMORY, …SESSION_HANDLES,
        /// …OBJECT_HANDLES).
        var isFull: Bool {
            if case .refused(let code) = self { return (0x902...0x906).contains(code) }
            return false
        }

        /// The same for the border of this module, with what a person can do about it.
        var authError: AuthError {
            AuthError(.storeUnavailable, detail, cause: self)
        }

        /// The same for a caller that asked for the TPM to make something: without the library this machine cannot.
        var makingError: AuthError {
            guard case .missing = self else { return authError }
            return AuthError(.unsupported, detail, cause: self)
        }

        private var detail: String {
            switch self {
            case .missing(let name):
                "\(name) is missing, which speaks to the TPM: install Debian's libtss2-esys-3.0.2-0t64 (in Debian 12 "
                    + "libtss2-esys-3.0.2-0), or tpm2-tss elsewhere"
            case .unreachable(let reason):
                "the TPM cannot be reached (\(reason)): may this user open /dev/tpmrm0?"
            case .malformed: "the TPM answered what makes no sense"
            case .foreign: "the TPM does not know what it was given"
            case .refused(0x921):
                "the TPM takes no passwords for a while, because wrong ones were tried (TPM_RC_LOCKOUT)"
            case .refused(let code) where isFull:
                "other programs have filled the TPM (0x\(String(code, radix: 16))): use it through /dev/tpmrm0"
            case .refused(let code): "the TPM refused (0x\(String(code, radix: 16)))"
            }
        }
    }
#endif
