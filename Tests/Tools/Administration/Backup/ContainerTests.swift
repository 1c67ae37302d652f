import Crypto
import Foundation
import KeyturnBase
import Testing

@testable import keyturn

@Suite("Encrypted backups: the container")
struct ContainerTests {
    private let identity = BackupIdentity(Curve25519.KeyAgreement.PrivateKey())
    private let other = BackupIdentity(Curve25519.KeyAgreement.PrivateKey())
    private static let blockBytes = ContainerFormat.chunkBytes + ContainerFormat.tagBytes
    private static func headBytes(recipients: Int) -> Int {
        ContainerKind.backup.magic.count + 2 + recipients * 80 + ContainerFormat.macBytes
    }

    /// Bytes that do not repeat soon.
    private static func bytes(_ count: Int, seed: Int = 1) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 + seed) &* 2_654_435_761 >> 13) }
    }

    private func sealed(_ bytes: [UInt8], to identities: [BackupIdentity]) throws -> [UInt8] {
        let result = Collected()
        var writer = try ContainerWriter(to: identities.map(\.recipient), ambient: .live) { result.bytes += $0 }
        for start in stride(from: 0, to: bytes.count, by: 50_001) {
            try writer.write(Array(bytes[start..<min(start + 50_001, bytes.count)]))
        }
        try writer.finish()
        return result.bytes
    }

    private func opened(_ bytes: [UInt8], with identities: [BackupIdentity]) throws -> [UInt8] {
        let source = Collected(bytes)
        var reader = try ContainerReader(with: identities, input: source.next)
        var result: [UInt8] = []
        while let chunk = try reader.next() { result += chunk }
        return result
    }

    private final class Collected {
        var bytes: [UInt8]
        private var position = 0

        init(_ bytes: [UInt8] = []) { self.bytes = bytes }

        func next(_ count: Int) -> [UInt8] {
            let end = min(position + count, bytes.count)
            defer { position = end }
            return Array(bytes[position..<end])
        }
    }

    /// What refuses the bytes; `nil`: nothing does.
    private func problem(_ bytes: [UInt8], _ identity: BackupIdentity) -> ContainerProblem? {
        do {
            _ = try opened(bytes, with: [identity])
            return nil
        } catch let problem as ContainerProblem {
            return problem
        } catch {
            Issue.record("an error of another kind: \(error)")
            return nil
        }
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func `each recipient reads what was written, of any length`(_ count: Int) throws {
        let bytes = Self.bytes(count)
        let container = try sealed(bytes, to: [other, identity])
        let chunks = max(1, (count + 65_535) / 65_536)
        #expect(container.count == Self.headBytes(recipients: 2) + count + 16 * chunks)
        #expect(try opened(container, with: [identity]) == bytes)
        #expect(try opened(container, with: [other]) == bytes)
        let third = BackupIdentity(Curve25519.KeyAgreement.PrivateKey())
        #expect(try opened(container, with: [third, other]) == bytes)
        #expect(problem(container, third) == .otherRecipients)
    }

    @Test func `each changed bit and each cut of a small one is refused`() throws {
        let container = try sealed(Array("forty bytes that nobody else may read…".utf8), to: [identity])
        for place in container.indices {
            for bit in 0..<8 {
                var changed = container
                changed[place] ^= 1 << UInt8(bit)
                #expect(problem(changed, identity) != nil, "bit \(bit) of byte \(place)")
            }
        }
        for length in container.indices { #expect(problem(Array(container[..<length]), identity) != nil, "\(length)") }
        for more in [1, 16, 17] {
            #expect(problem(container + Self.bytes(more), identity) != nil)
        }
        #expect(problem(container, identity) == nil)
    }

    @Test func `a long one is refused wherever it is cut, and says so at the end of a chunk`() throws {
        let container = try sealed(Self.bytes(3 * 65_536 + 100), to: [identity])
        let head = Self.headBytes(recipients: 1)
        for chunk in 0...3 {
            let end = head + chunk * Self.blockBytes
            #expect(problem(Array(container[..<end]), identity) == .truncated)
            for near in [end - 1, end + 1, end + 15, end + 17] {
                #expect(problem(Array(container[..<near]), identity) != nil, "\(near)")
            }
        }
        for length in stride(from: head, to: container.count, by: 4_999) {
            #expect(problem(Array(container[..<length]), identity) != nil, "\(length)")
        }
    }

    @Test func `chunks that are swapped, repeated, left out or another backup's are refused`() throws {
        let container = try sealed(Self.bytes(3 * 65_536), to: [identity])
        let twin = try sealed(Self.bytes(3 * 65_536, seed: 2), to: [identity])
        let head = Self.headBytes(recipients: 1)
        func chunk(_ number: Int, of container: [UInt8]) -> [UInt8] {
            Array(container[(head + number * Self.blockBytes)..<(head + (number + 1) * Self.blockBytes)])
        }
        func made(_ chunks: [UInt8]...) -> [UInt8] { Array(container[..<head]) + chunks.flatMap { $0 } }
        let (first, second, last) = (chunk(0, of: container), chunk(1, of: container), chunk(2, of: container))
        #expect(problem(made(first, second, last), identity) == nil)
        #expect(problem(made(second, first, last), identity) == .damagedChunk(1))
        #expect(problem(made(first, last, second), identity) == .damagedChunk(2))
        #expect(problem(made(first, first, last), identity) == .damagedChunk(2))
        #expect(problem(made(first, last), identity) == .damagedChunk(2))
        #expect(problem(made(first, second), identity) == .truncated)
        #expect(problem(made(first, second, last, [0]), identity) == .extended)
        #expect(problem(made(first, second, last, last), identity) == .extended)
        #expect(problem(made(first, chunk(1, of: twin), last), identity) == .damagedChunk(2))
        #expect(problem(Array(twin[..<head]) + container[head...], identity) == .damagedChunk(1))
    }

    @Test func `a recipient cannot be put into the head of another backup`() throws {
        let (one, both) = (try sealed([1, 2, 3], to: [identity]), try sealed([4, 5, 6], to: [identity, other]))
        let start = ContainerKind.backup.magic.count + 2
        var mixed = both
        mixed.replaceSubrange(start..<(start + 80), with: one[start..<(start + 80)])
        #expect(problem(mixed, identity) == .damagedHead)
        #expect(problem(mixed, other) == .damagedHead)
    }

    @Test func `what is no backup, and one of a later release, are told apart`() throws {
        var container = try sealed([1], to: [identity])
        #expect(problem([], identity) == .notABackup)
        #expect(problem(Array("SQLite format 3\0 and so on".utf8), identity) == .notABackup)
        container[ContainerKind.backup.magic.count] = 2
        #expect(problem(container, identity) == .newer(version: 2))
    }

    @Test func `two backups of the same bytes have nothing in common`() throws {
        let bytes = [UInt8](repeating: 7, count: 1_000)
        let (one, other) = (try sealed(bytes, to: [identity]), try sealed(bytes, to: [identity]))
        let start = ContainerKind.backup.magic.count + 2
        #expect(zip(one[start...], other[start...]).count { $0 == $1 } < 50)
    }

    @Test func `a slip in a key is noticed, and private keys are not printed`() throws {
        let text = "\(identity.recipient)"
        #expect(BackupRecipient(text) == identity.recipient)
        #expect(BackupIdentity(identity.exposed)?.recipient == identity.recipient)
        #expect(BackupIdentity(text) == nil && BackupRecipient(identity.exposed) == nil)
        for place in text.indices {
            var changed = text
            changed.replaceSubrange(place...place, with: text[place] == "A" ? "B" : "A")
            #expect(BackupRecipient(changed) != identity.recipient, "\(changed)")
            #expect(BackupRecipient(changed) == nil || place >= text.index(text.endIndex, offsetBy: -1))
        }
        #expect(BackupRecipient(String(text.dropLast())) == nil)
        #expect(!"\(identity)".contains(identity.exposed) && !String(reflecting: identity).contains(identity.exposed))
        var dumped = ""
        dump(identity, to: &dumped)
        #expect(!dumped.contains(identity.exposed))
    }

    @Test func `an identity file has identities and comments, and nothing else`() throws {
        let both = BackupIdentity.read("# a comment\n\(identity.exposed)\n\n  \(other.exposed)\n")
        #expect(both?.map(\.recipient) == [identity.recipient, other.recipient])
        for text in ["", "# only\n", "\(identity.recipient)\n", "\(identity.exposed)\nsomething\n"] {
            #expect(BackupIdentity.read(text) == nil, "\(text)")
        }
    }
}
