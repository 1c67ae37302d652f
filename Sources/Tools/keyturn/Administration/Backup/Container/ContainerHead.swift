internal import Crypto
internal import Foundation
internal import KeyturnBase

/// The head of an encrypted file: who can read it, and the key of what follows. See ``ContainerFormat``.
enum ContainerHead {
    private static let stanzaBytes = ContainerFormat.encapsulatedBytes + ContainerFormat.wrappedBytes

    /// - Parameter recipients: one to 16.
    /// - Throws: `CryptoKitError` for a recipient that is no key.
    static func make(
        _ kind: ContainerKind, to recipients: [BackupRecipient], ambient: Ambient
    ) throws -> (bytes: [UInt8], key: SymmetricKey) {
        precondition((1...ContainerFormat.recipientsMax).contains(recipients.count), "one to 16 recipients")
        let fileKey = ambient.randomBytes(ContainerFormat.fileKeyBytes)
        var head = kind.magic + [ContainerFormat.version, UInt8(recipients.count)]
        for recipient in recipients {
            var sender = try HPKE.Sender(
                recipientKey: recipient.publicKey(), ciphersuite: ContainerFormat.ciphersuite,
                info: kind.info("file key"))
            head += sender.encapsulatedKey + (try sender.seal(fileKey))
        }
        let keys = keys(kind, from: SymmetricKey(data: fileKey), head: head)
        return (head + HMAC<SHA256>.authenticationCode(for: head, using: keys.mac), keys.chunks)
    }

    /// Finds the key that one of the identities opens.
    ///
    /// - Parameter input: gives as many bytes as it is asked for, fewer only at the end.
    /// - Throws: ``ContainerProblem``, and what `input` throws.
    static func read(
        _ kind: ContainerKind, with identities: [BackupIdentity], _ input: (Int) throws -> [UInt8]
    ) throws -> SymmetricKey {
        let (head, count) = try headBeforeMAC(kind, input)
        let mac = try input(ContainerFormat.macBytes)
        guard mac.count == ContainerFormat.macBytes else { throw ContainerProblem.truncated }
        let stanzas = (0..<count).map { head.suffix((count - $0) * stanzaBytes).prefix(stanzaBytes) }
        guard let fileKey = fileKey(kind, in: stanzas, with: identities) else { throw ContainerProblem.otherRecipients }
        let keys = keys(kind, from: fileKey, head: head)
        guard HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: head, using: keys.mac) else {
            throw ContainerProblem.damagedHead
        }
        return keys.chunks
    }

    /// Passes over a head whose key is not needed.
    ///
    /// - Throws: as ``read(_:with:_:)``.
    static func skip(_ kind: ContainerKind, _ input: (Int) throws -> [UInt8]) throws {
        _ = try headBeforeMAC(kind, input)
        guard try input(ContainerFormat.macBytes).count == ContainerFormat.macBytes else {
            throw ContainerProblem.truncated
        }
    }

    private static func headBeforeMAC(
        _ kind: ContainerKind, _ input: (Int) throws -> [UInt8]
    ) throws -> (head: [UInt8], count: Int) {
        let opening = try input(kind.magic.count + 2)
        guard opening.starts(with: kind.magic), opening.count == kind.magic.count + 2 else {
            throw ContainerProblem.notABackup
        }
        let (version, count) = (opening[opening.count - 2], Int(opening[opening.count - 1]))
        guard version == ContainerFormat.version else { throw ContainerProblem.newer(version: version) }
        guard (1...ContainerFormat.recipientsMax).contains(count) else { throw ContainerProblem.damagedHead }
        let wrapped = try input(count * stanzaBytes)
        guard wrapped.count == count * stanzaBytes else { throw ContainerProblem.truncated }
        return (opening + wrapped, count)
    }

    private static func fileKey(
        _ kind: ContainerKind, in stanzas: [ArraySlice<UInt8>], with identities: [BackupIdentity]
    ) -> SymmetricKey? {
        for stanza in stanzas {
            let (encapsulated, wrapped) = (
                Data(stanza.prefix(ContainerFormat.encapsulatedBytes)),
                Data(stanza.dropFirst(ContainerFormat.encapsulatedBytes))
            )
            for identity in identities {
                var recipient = try? HPKE.Recipient(
                    privateKey: identity.key, ciphersuite: ContainerFormat.ciphersuite, info: kind.info("file key"),
                    encapsulatedKey: encapsulated)
                if let key = try? recipient?.open(wrapped) { return SymmetricKey(data: key) }
            }
        }
        return nil
    }

    /// The key of the MAC, and the one of what follows the head.
    private static func keys(
        _ kind: ContainerKind, from fileKey: SymmetricKey, head: [UInt8]
    ) -> (mac: SymmetricKey, chunks: SymmetricKey) {
        let salt = Data(SHA256.hash(data: head))
        func derive(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: fileKey, salt: salt, info: kind.info(purpose), outputByteCount: 32)
        }
        return (derive("head"), derive("chunks"))
    }
}
