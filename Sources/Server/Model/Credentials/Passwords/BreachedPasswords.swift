internal import Foundation
public import KeyturnBase

/// The operator's list of forbidden passwords: a local file; nothing is sent anywhere.
///
/// Either lines of `SHA-1:COUNT` in hexadecimal, ordered by hash, of any size, as "Have I Been Pwned" publishes them:
/// such a file is searched in place, with some forty short reads each time. Or plain text, a password a line: that is
/// read once and kept.
public struct BreachedPasswords: Sendable {
    /// Why a file cannot be used; for the operator.
    public struct Unusable: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    private enum Content: Sendable {
        case hashes(HashedList)
        case words(Set<String>)
    }

    private let content: Content

    /// - Throws: ``Unusable`` if the file is missing, empty, not ordered, or plain text longer than
    ///   ``Limits/breachedListBytesMax``.
    public init(path: String) throws(Unusable) {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw Unusable(description: "there is no such file")
        }
        guard !isFolder.boolValue, let list = HashedList(path: path) else {
            throw Unusable(description: "it cannot be read, or is empty")
        }
        if list.beginsWithHash {
            guard list.isOrdered else {
                throw Unusable(description: "its hashes are not ordered; get the list that is ordered by hash")
            }
            content = .hashes(list)
        } else {
            content = .words(try Self.words(path))
        }
    }

    /// Whether `password` is on the list, as it was typed or as it is hashed; in plain text, in either case.
    ///
    /// A list that can no longer be read holds nothing: a broken disk must not prevent a new password.
    public func contains(_ password: Secret) -> Bool {
        switch content {
        case .words(let words): words.contains(PasswordForm.normalized(password).lowercased())
        case .hashes(let list):
            PasswordForm.spellings(password).contains { list.contains(HashedList.hexadecimalSHA1($0)) }
        }
    }

    private static func words(_ path: String) throws(Unusable) -> Set<String> {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: Limits.breachedListBytesMax + 1),
            let text = String(bytes: data, encoding: .utf8)
        else { throw Unusable(description: "it is neither hashes nor UTF-8 text") }
        guard data.count <= Limits.breachedListBytesMax else {
            throw Unusable(
                description: "it is text of more than \(Limits.breachedListBytesMax) bytes; use a list of SHA-1 hashes")
        }
        let lines = text.split(whereSeparator: \.isNewline)
        return Set(lines.map { PasswordForm.normalized(Secret(String($0))).lowercased() })
    }
}
