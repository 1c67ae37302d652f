#if os(Linux)
    internal import KeyturnBase

    /// Where a Linux machine keeps keys and secrets.
    public enum LinuxKeyPlace: Hashable, Sendable {
        /// In the TPM that `TPM2TOOLS_TCTI` names, or in the one that the kernel manages, if this process may use one of
        /// them and the TPM2 Software Stack is installed; otherwise in software. What was made stays where it is.
        case automatic
        /// In the store, as they are.
        case software
        /// Wrapped by a TPM 2, under its owner hierarchy: `device:/dev/tpmrm0`, `swtpm:path=…`, `tabrmd` or another one
        /// that libtss2-tctildr knows, as tpm2-tools spell it.
        case tpm(String)
    }

    extension LinuxKeyPlace {
        /// What the TPM makes; `nil` if it is to be made in software.
        ///
        /// - Throws: if the TPM was asked for, `store.unavailable` if it cannot be used now, `service.unsupported` if its
        ///   library is missing, and `configuration.invalid` if its name is none.
        func make<Value: Sendable>(
            _ work: @escaping @Sendable (inout TPM) throws(TPMProblem) -> Value
        ) async throws(AuthError) -> Value? {
            let address: TPMAddress
            switch self {
            case .software: return nil
            case .tpm: address = try self.address()
            case .automatic:
                guard let found = TPMAddress.environment() else { return nil }
                address = found
            }
            do throws(TPMProblem) {
                return try await TPMQueue.shared.use(address, work)
            } catch {
                if case .automatic = self { return nil }
                throw error.makingError
            }
        }

        /// Has the TPM do something with what it made; `nil` if that is of no use to it any more.
        ///
        /// - Throws: `store.unavailable` if it cannot be used now; `configuration.invalid` if its name is none.
        func open<Value: Sendable>(
            _ work: @escaping @Sendable (inout TPM) throws(TPMProblem) -> Value
        ) async throws(AuthError) -> Value? {
            let address = try address()
            do throws(TPMProblem) {
                return try await TPMQueue.shared.use(address, work)
            } catch {
                if error == .foreign { return nil }
                throw error.authError
            }
        }

        private func address() throws(AuthError) -> TPMAddress {
            if case .tpm(let text) = self {
                guard let address = TPMAddress(text) else {
                    throw AuthError(
                        .misconfigured,
                        "a TPM is named as tpm2-tools spell it, such as device:/dev/tpmrm0 or swtpm:path=…")
                }
                return address
            }
            guard let address = TPMAddress.environment() else {
                throw AuthError(
                    .storeUnavailable,
                    "the TPM that has the key cannot be reached; logout(force: true) gives the key up")
            }
            return address
        }
    }
#endif
