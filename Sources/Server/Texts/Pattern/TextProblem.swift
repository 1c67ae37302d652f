/// Why a text or a file of texts is refused, for the person who writes it.
package struct TextProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The key, such as `link.readyHeading.signIn`; empty for the file itself.
    package var key: String
    /// What is wrong, in a sentence without its full stop.
    package let reason: String

    package init(key: String = "", _ reason: String) {
        self.key = key
        self.reason = reason
    }

    package var description: String { key.isEmpty ? reason : "\(key): \(reason)" }
}
