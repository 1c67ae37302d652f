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

    /// An open connection to a TPM 2, through the TPM2 Software Stack. For one thread at a time, which it may hold up.
    ///
    /// Everything hangs below a primary key of the owner hierarchy that is made anew for each connection: from the same
    /// seed the TPM makes the same key. No password is asked for; every program that may use the TPM may use the objects.
    /// Each command that uses them belongs to an HMAC session. Its key is made of a secret that is encrypted to the
    /// primary key, and encrypts the first parameter of commands and answers with AES-128 in CFB: a listener on the way to
    /// the chip learns neither a secret nor a wrapped key (TPM 2.0 Part 1, 19 and 21).
    struct TPM: Sendable {
        private let library: TPMLibrary
        /// The library's own objects, as numbers: pointers cannot go from thread to thread.
        private var transport = 0
        private var context = 0
        private var primary: UInt32?
        private var session: UInt32 = none
        private var loaded: (object: TPMObject, handle: UInt32)?

        /// The way that a session protects parameters (`TPMA_SESSION`).
        struct Protection: Hashable, Sendable {
            fileprivate let attributes: UInt8
            /// Encrypts the first parameter of commands and of answers, where it is one that can be encrypted.
            static let encrypted = Protection(attributes: 0x01 | 0x20 | 0x40)
            /// Encrypts nothing. For the test that shows that listening is of use then.
            static let plain = Protection(attributes: 0x01)
        }

        /// Connects, makes the primary key and begins the session.
        init(_ address: TPMAddress, _ protection: Protection = .encrypted) throws(TPMProblem) {
            library = try TPMLibrary.system.get()
            do throws(TPMProblem) {
                try connect(address)
                try makePrimary()
                try beginSession(protection)
            } catch {
                close()
                throw error
            }
        }

        /// Gives up what was loaded, and the connection. What a resource manager stands before goes with the connection
        /// anyway; a TPM without one has room for three.
        mutating func close() {
            if let loaded { flush(loaded.handle) }
            if let primary { flush(primary) }
            if session != Self.none { flush(session) }
            var (context, transport) = unsafe (pointer(context), pointer(transport))
            unsafe library.end(&context)
            unsafe library.close(&transport)
            (self.context, self.transport, loaded, primary, session) = (0, 0, nil, nil, Self.none)
        }

        /// Makes a key on P-256 that signs with ES256 and cannot leave this TPM.
        ///
        /// - Returns: The key, and its point: x, then y.
        mutating func makeKey() throws(TPMProblem) -> (object: TPMObject, point: [UInt8]) {
            let object = try create(Template.signingKey, secret: [])
            // Behind type, digest, attributes, policy, symmetric algorithm, scheme with its digest, curve, derivation.
            // They must be what was asked for: a key that may be exported is none.
            guard object.area.count > 20, object.area.starts(with: Template.signingKey.prefix(20)),
                let point = Self.point(object.area.dropFirst(20))
            else { throw .malformed }
            return (object, point)
        }

        /// Wraps a secret of at most 128 bytes.
        mutating func seal(_ secret: [UInt8]) throws(TPMProblem) -> TPMObject {
            try create(Template.sealed, secret: secret)
        }

        /// Makes sure that the TPM knows what it once made.
        ///
        /// - Throws: ``TPMProblem/foreign`` unless it does.
        mutating func check(_ object: TPMObject) throws(TPMProblem) {
            _ = try load(object)
        }

        /// Signs a SHA-256 digest.
        ///
        /// - Returns: r, then s, 32 bytes each.
        mutating func signature(of digest: [UInt8], with object: TPMObject) throws(TPMProblem) -> [UInt8] {
            let handle = try load(object)
            let memory = TPMMemory(library)
            let digest = unsafe try memory.structure(TPMBytes.sized(digest), library.digestFromBytes)
            // As the key was made for: ECDSA with SHA-256, of a digest that was made elsewhere, so without a ticket.
            let scheme = unsafe try memory.structure(Template.anyScheme, library.schemeFromBytes)
            let ticket = unsafe try memory.structure(Template.noTicket, library.ticketFromBytes)
            var made: UnsafeMutableRawPointer?
            try run {
                unsafe library.sign(pointer(context), handle, session, none, none, digest, scheme, ticket, &made)
            }
            var answer = TPMBytes(try unsafe memory.bytes(made, library.signatureToBytes))
            guard try answer.uint16() == 0x0018, try answer.uint16() == 0x000B, let r = Self.padded(try answer.sized()),
                let s = Self.padded(try answer.sized())
            else { throw .malformed }
            return r + s
        }

        /// A secret that ``seal(_:)`` wrapped.
        mutating func unseal(_ object: TPMObject) throws(TPMProblem) -> [UInt8] {
            let handle = try load(object)
            let memory = TPMMemory(library)
            var found: UnsafeMutableRawPointer?
            try run { unsafe library.unseal(pointer(context), handle, session, none, none, &found) }
            var answer = TPMBytes(try unsafe memory.bytes(found, library.sensitiveToBytes))
            return try answer.sized()
        }
    }

    extension TPM {
        private mutating func connect(_ address: TPMAddress) throws(TPMProblem) {
            var transport: OpaquePointer?
            try Self.check(unsafe library.open(address.configuration, &transport))
            self.transport = Int(bitPattern: transport)
            var context: OpaquePointer?
            try Self.check(unsafe library.begin(&context, transport, nil))
            self.context = Int(bitPattern: context)
        }

        private mutating func makePrimary() throws(TPMProblem) {
            let memory = TPMMemory(library)
            defer { withExtendedLifetime(memory) {} }
            let template = unsafe try memory.structure(TPMBytes.sized(Template.primary), library.publicFromBytes)
            let (sensitive, info, selection) = unsafe (memory.empty(), memory.empty(), memory.empty())
            var handle: UInt32 = 0
            try run {
                unsafe library.createPrimary(
                    pointer(context), Self.owner, Self.password, none, none, sensitive, template, info, selection,
                    &handle,
                    nil, nil, nil, nil)
            }
            primary = handle
        }

        private mutating func beginSession(_ protection: Protection) throws(TPMProblem) {
            let memory = TPMMemory(library)
            defer { withExtendedLifetime(memory) {} }
            // AES-128 in CFB.
            let cipher = unsafe try memory.structure([0x00, 0x06, 0x00, 0x80, 0x00, 0x43], library.symmetricFromBytes)
            guard let primary else { throw .malformed }
            var handle: UInt32 = 0
            // An HMAC session with SHA-256, salted by the primary key and bound to nothing.
            try run {
                unsafe library.startSession(
                    pointer(context), primary, none, none, none, none, nil, 0x00, cipher, 0x000B, &handle)
            }
            session = handle
            try Self.check(unsafe library.setAttributes(pointer(context), session, protection.attributes, 0xFF))
        }

        private mutating func create(_ template: [UInt8], secret: [UInt8]) throws(TPMProblem) -> TPMObject {
            guard let primary else { throw .malformed }
            let memory = TPMMemory(library)
            // An empty password, and the secret.
            let content = unsafe try memory.structure(
                TPMBytes.sized([0, 0] + TPMBytes.sized(secret)), library.sensitiveFromBytes)
            let area = unsafe try memory.structure(TPMBytes.sized(template), library.publicFromBytes)
            let (info, selection) = unsafe (memory.empty(), memory.empty())
            var made: (wrapped: UnsafeMutableRawPointer?, area: UnsafeMutableRawPointer?)
            try run {
                unsafe library.create(
                    pointer(context), primary, session, none, none, content, area, info, selection, &made.wrapped,
                    &made.area, nil, nil, nil)
            }
            var wrapped = TPMBytes(try unsafe memory.bytes(made.wrapped, library.privateToBytes))
            var whole = TPMBytes(try unsafe memory.bytes(made.area, library.publicToBytes))
            return TPMObject(secret: try wrapped.sized(), area: try whole.sized())
        }

        private mutating func load(_ object: TPMObject) throws(TPMProblem) -> UInt32 {
            if let loaded, loaded.object == object { return loaded.handle }
            if let loaded { flush(loaded.handle) }
            loaded = nil
            guard let primary else { throw .malformed }
            let memory = TPMMemory(library)
            defer { withExtendedLifetime(memory) {} }
            let wrapped = unsafe try memory.structure(TPMBytes.sized(object.secret), library.privateFromBytes)
            let area = unsafe try memory.structure(TPMBytes.sized(object.area), library.publicFromBytes)
            var handle: UInt32 = 0
            try run {
                unsafe library.load(pointer(context), primary, session, none, none, wrapped, area, &handle)
            }
            loaded = (object, handle)
            return handle
        }

        private func flush(_ handle: UInt32) {
            _ = unsafe library.flush(pointer(context), handle)
        }

        /// Asks again while it is busy.
        private func run(_ command: () -> UInt32) throws(TPMProblem) {
            for _ in 0..<Limits.tpmRetries {
                do throws(TPMProblem) {
                    return try Self.check(command())
                } catch {
                    guard error.isBusy else { throw error }
                }
                Thread.sleep(forTimeInterval: 0.05)
            }
            throw .refused(0x922)
        }

        private static func check(_ code: UInt32) throws(TPMProblem) {
            guard code == 0 else { throw TPMProblem(code) }
        }

        private func pointer(_ number: Int) -> OpaquePointer? { unsafe OpaquePointer(bitPattern: number) }

        private static func point(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
            var reader = TPMBytes(Array(bytes))
            guard let x = (try? reader.sized()).flatMap(padded), let y = (try? reader.sized()).flatMap(padded),
                reader.isAtEnd
            else { return nil }
            return x + y
        }

        /// A number in 32 bytes; some TPMs leave zeros in front away.
        private static func padded(_ number: [UInt8]) -> [UInt8]? {
            number.count <= 32 ? [UInt8](repeating: 0, count: 32 - number.count) + number : nil
        }

        private var none: UInt32 { Self.none }
        /// `ESYS_TR_NONE`, `ESYS_TR_PASSWORD`, `ESYS_TR_RH_OWNER`: the library's own names of what every TPM has.
        static let none: UInt32 = 0xFFF
        static let password: UInt32 = 0x0FF
        static let owner: UInt32 = 0x101

        /// What is made (Part 2, 12.2.4, `TPMT_PUBLIC`). All of it belongs to one TPM and one parent, needs no policy,
        /// and counts no wrong passwords, because it has none.
        private enum Template {
            /// ECC on P-256, named by SHA-256; decrypts what is below it, with AES-128 in CFB.
            static let primary: [UInt8] =
                [0x00, 0x23, 0x00, 0x0B] + TPMBytes.of(attributes | 0x0003_0020) + [0, 0]
                + [0x00, 0x06, 0x00, 0x80, 0x00, 0x43, 0x00, 0x10, 0x00, 0x03, 0x00, 0x10, 0, 0, 0, 0]
            /// ECC on P-256; signs with ECDSA over SHA-256.
            static let signingKey: [UInt8] =
                [0x00, 0x23, 0x00, 0x0B] + TPMBytes.of(attributes | 0x0004_0020) + [0, 0]
                + [0x00, 0x10, 0x00, 0x18, 0x00, 0x0B, 0x00, 0x03, 0x00, 0x10, 0, 0, 0, 0]
            /// A sealed secret, made elsewhere.
            static let sealed: [UInt8] =
                [0x00, 0x08, 0x00, 0x0B] + TPMBytes.of(attributes) + [0, 0] + [0x00, 0x10, 0, 0]
            /// The scheme that the key has (`TPM_ALG_NULL`).
            static let anyScheme: [UInt8] = [0x00, 0x10]
            /// `TPM_ST_HASHCHECK`, `TPM_RH_NULL`, and no digest.
            static let noTicket: [UInt8] = [0x80, 0x24, 0x40, 0x00, 0x00, 0x07, 0, 0]
            /// fixedTPM, fixedParent, userWithAuth, noDA. With 0x20, sensitiveDataOrigin: the TPM thinks of it itself.
            private static let attributes: UInt32 = 0x0000_0452
        }
    }
#endif
