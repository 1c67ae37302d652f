internal import Foundation
package import KeyturnBase

/// The one spelling of a password that policy, breach list and hash all use.
package enum PasswordForm {
    /// NFKC, once: the same password typed on two keyboards is the same password (NIST SP 800-63B).
    package static func normalized(_ password: Secret) -> String {
        password.exposed().precomposedStringWithCompatibilityMapping
    }

    /// What other products may have hashed: the typed text, its composed form, and ours. Each once.
    package static func spellings(_ password: Secret) -> [[UInt8]] {
        let typed = password.exposed()
        var result = [Array(typed.utf8)]
        for text in [typed.precomposedStringWithCanonicalMapping, normalized(password)] {
            let bytes = Array(text.utf8)
            if !result.contains(bytes) { result.append(bytes) }
        }
        return result
    }
}
