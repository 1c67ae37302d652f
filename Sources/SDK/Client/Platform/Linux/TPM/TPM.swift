#if os(Linux)
    internal import Foundation
    internal import KeyturnBase

    /// What a TPM made, in its two halves, which no other TPM can use.
    struct TPMObject: Hashable, Sendable {
        /// The wrapped half (`TPM2B_PRIVATE`, without its length).
        let secret: [UInt8]
        /// The public half (`TPM2B_PUBLIC`, without its length).
        let area: [UInt8]
    }

    /// A TPM 2, spoken to in its own commands (TPM 2.0 Part 3). For one thread, which it may hold up.
    ///
    /// Everything hangs below a primary key of the owner hierarchy that is made anew for each visit: from the same seed
    /// the TPM makes the same key. No password is asked for; every program that may use the TPM may use the objects.
    final class TPM {
        private let port: TPMPort
        private var loaded: [UInt32] = []

        private init(_ address: TPMAddress) throws(TPMProblem) {
            port = try TPMPort(address)
        }

        /// Does some work with a TPM on a thread of its own, and leaves nothing loaded.
        static func use<Value: Sendable>(
            _ address: TPMAddress, _ work: @escaping @Sendable (TPM) throws(TPMProblem) -> Value
        ) async throws(TPMProblem) -> Value {
            try await DetachedThread.run { () throws(TPMProblem) in
                let tpm = try TPM(address)
                defer { tpm.flush() }
                return try work(tpm)
            }
        }

        /// Makes a key on P-256 that signs with ES256.
        ///
        /// - Returns: The key, and its point: x, then y.
        func makeKey() throws(TPMProblem) -> (object: TPMObject, point: [UInt8]) {
            let object = try create(Template.signingKey, secret: [])
            // Behind type, digest, attributes, policy, symmetric algorithm, scheme with its digest, curve, derivation.
            guard object.area.count > 20, let point = Self.point(object.area.dropFirst(20)) else { throw .malformed }
            return (object, point)
        }

        /// Wraps a secret of at most 128 bytes.
        func seal(_ secret: [UInt8]) throws(TPMProblem) -> TPMObject {
            try create(Template.sealed, secret: secret)
        }

        /// Signs a SHA-256 digest.
        ///
        /// - Returns: r, then s, 32 bytes each.
        func signature(of digest: [UInt8], with object: TPMObject) throws(TPMProblem) -> [UInt8] {
            var command = TPMCommand(.sign, using: try load(object))
            command.write(sized: digest)
            // As the key was made for: ECDSA with SHA-256.
            command.write(UInt16(0x0010))
            // No ticket: the digest was made elsewhere (TPM_ST_HASHCHECK, TPM_RH_NULL).
            command.write(UInt16(0x8024))
            command.write(UInt32(0x4000_0007))
            command.write(sized: [])
            var answer = try run(command)
            _ = try answer.uint32()
            guard try answer.uint16() == 0x0018, try answer.uint16() == 0x000B else { throw .malformed }
            guard let r = Self.padded(try answer.sized()), let s = Self.padded(try answer.sized()) else {
                throw .malformed
            }
            return r + s
        }

        /// A secret that ``seal(_:)`` wrapped.
        func unseal(_ object: TPMObject) throws(TPMProblem) -> [UInt8] {
            var answer = try run(TPMCommand(.unseal, using: try load(object)))
            _ = try answer.uint32()
            return try answer.sized()
        }
    }

    extension TPM {
        private func create(_ template: [UInt8], secret: [UInt8]) throws(TPMProblem) -> TPMObject {
            var command = TPMCommand(.create, using: try primary())
            // An empty password, and the secret.
            command.write(sized: [0, 0] + TPMCommand.bytes(UInt16(secret.count)) + secret)
            command.write(sized: template)
            command.write(sized: [])
            command.write(UInt32(0))
            var answer = try run(command)
            _ = try answer.uint32()
            let wrapped = try answer.sized()
            return TPMObject(secret: wrapped, area: try answer.sized())
        }

        private func load(_ object: TPMObject) throws(TPMProblem) -> UInt32 {
            var command = TPMCommand(.load, using: try primary())
            command.write(sized: object.secret)
            command.write(sized: object.area)
            var answer = try run(command)
            let handle = try answer.uint32()
            loaded.append(handle)
            return handle
        }

        private func primary() throws(TPMProblem) -> UInt32 {
            var command = TPMCommand(.createPrimary, using: 0x4000_0001)
            command.write(sized: [0, 0, 0, 0])
            command.write(sized: Template.primary)
            command.write(sized: [])
            command.write(UInt32(0))
            var answer = try run(command)
            let handle = try answer.uint32()
            loaded.append(handle)
            return handle
        }

        /// Asks again while it is busy (TPM_RC_RETRY, TPM_RC_YIELDED, TPM_RC_TESTING).
        private func run(_ command: TPMCommand) throws(TPMProblem) -> TPMReader {
            for _ in 0..<Limits.tpmRetries {
                do throws(TPMProblem) {
                    return try TPMReader(try port.exchange(command.encoded))
                } catch {
                    guard [.refused(0x922), .refused(0x908), .refused(0x90A)].contains(error) else { throw error }
                }
                Thread.sleep(forTimeInterval: 0.05)
            }
            throw .refused(0x922)
        }

        /// Gives up what was loaded. The kernel does so by itself; a TPM without it has room for three.
        private func flush() {
            for handle in loaded {
                var command = TPMCommand(.flushContext)
                command.write(handle)
                _ = try? run(command)
            }
        }

        private static func point(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
            let bytes = Array(bytes)
            guard bytes.count >= 2, case let x = Int(bytes[0]) << 8 | Int(bytes[1]), bytes.count >= 4 + x,
                case let y = Int(bytes[2 + x]) << 8 | Int(bytes[3 + x]), bytes.count == 4 + x + y,
                let left = padded(Array(bytes[2..<(2 + x)])), let right = padded(Array(bytes[(4 + x)...]))
            else { return nil }
            return left + right
        }

        /// A number in 32 bytes; some TPMs leave zeros in front away.
        private static func padded(_ number: [UInt8]) -> [UInt8]? {
            number.count <= 32 ? [UInt8](repeating: 0, count: 32 - number.count) + number : nil
        }

        /// What is made (Part 2, 12.2.4, `TPMT_PUBLIC`). All of it belongs to one TPM and one parent, needs no policy,
        /// and counts no wrong passwords, because it has none.
        private enum Template {
            /// ECC on P-256, named by SHA-256; decrypts what is below it, with AES-128 in CFB.
            static let primary: [UInt8] =
                [0x00, 0x23, 0x00, 0x0B] + TPMCommand.bytes(attributes | 0x0003_0020) + [0, 0]
                + [0x00, 0x06, 0x00, 0x80, 0x00, 0x43, 0x00, 0x10, 0x00, 0x03, 0x00, 0x10, 0, 0, 0, 0]
            /// ECC on P-256; signs with ECDSA over SHA-256.
            static let signingKey: [UInt8] =
                [0x00, 0x23, 0x00, 0x0B] + TPMCommand.bytes(attributes | 0x0004_0020) + [0, 0]
                + [0x00, 0x10, 0x00, 0x18, 0x00, 0x0B, 0x00, 0x03, 0x00, 0x10, 0, 0, 0, 0]
            /// A sealed secret, made elsewhere.
            static let sealed: [UInt8] =
                [0x00, 0x08, 0x00, 0x0B] + TPMCommand.bytes(attributes) + [0, 0] + [0x00, 0x10, 0, 0]
            /// fixedTPM, fixedParent, userWithAuth, noDA. With 0x20, sensitiveDataOrigin: the TPM thinks of it itself.
            private static let attributes: UInt32 = 0x0000_0452
        }
    }
#endif
