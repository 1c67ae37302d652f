internal import Foundation
package import KeyturnBase

/// The one spelling of a password that policy, breach list and hash all look at.
package enum PasswordForm {
    /// NFKC, once, so that the same password typed on two keyboards is the same password (NIST SP 800-63B).
    package static func normalized(_ password: Secret) -> String {
        password.exposed().precomposedStringWithCompatibilityMapping
    }

    /// What other products may have hashed: what was typed, its composed form, and ours. Each once.
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
