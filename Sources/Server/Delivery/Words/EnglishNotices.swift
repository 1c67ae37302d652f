internal import Model

/// What people are told about changes to their accounts, in English.
enum EnglishNotices {
    static func words(_ kind: MessageKind, _ facts: MessageFacts) -> MessageWords {
        let (subject, heading, sentence) = said(kind, facts)
        return MessageWords(
            subject: subject, heading: heading, paragraphs: [sentence] + (origin(facts).map { [$0] } ?? []),
            action: action(kind), note: note(kind, facts.app), short: "\(sentence) \(short(kind))")
    }

    private static func said(_ kind: MessageKind, _ facts: MessageFacts) -> (String, String, String) {
        let app = facts.app
        let account = "your account at \(app)"
        switch kind {
        case .passwordChanged:
            return (
                "Your password at \(app) was changed", "Your password was changed",
                "The password of \(account) was changed."
            )
        case .passkeyAdded:
            return (
                "A passkey was added to \(account)", "A passkey was added", "A new passkey can sign in to \(account)."
            )
        case .passkeyRemoved:
            return (
                "A passkey was removed from \(account)", "A passkey was removed",
                "One of your passkeys can no longer sign in to \(account)."
            )
        case .authenticatorAdded:
            return (
                "An authenticator app was added to \(account)", "An authenticator app was added",
                "Signing in to \(account) now asks for codes of a new authenticator app."
            )
        case .authenticatorRemoved:
            return (
                "The authenticator app of \(account) was removed", "An authenticator app was removed",
                "Signing in to \(account) no longer asks for codes of your authenticator app."
            )
        case .biometricKeyAdded:
            return (
                "A device can now open \(account)", "Fingerprint or face sign-in was turned on",
                "A device can now sign in to \(account) with a fingerprint or a face."
            )
        case .biometricKeyRemoved:
            return (
                "A device can no longer open \(account)", "Fingerprint or face sign-in was turned off",
                "A device can no longer sign in to \(account) with a fingerprint or a face."
            )
        default: return address(kind, facts) ?? session(kind, facts)
        }
    }

    private static func address(_ kind: MessageKind, _ facts: MessageFacts) -> (String, String, String)? {
        let account = "your account at \(facts.app)"
        let new = facts.newAddress.map { ": \($0)" } ?? ""
        switch kind {
        case .addressAdded:
            return (
                "Another address for \(account)", "Another address was added",
                "Another address was added to \(account)\(new)."
            )
        case .addressRemoved:
            let old = facts.oldAddress.map { ": \($0)" } ?? ""
            return (
                "An address of \(account) was removed", "An address was removed",
                "An address was removed from \(account)\(old)."
            )
        case .addressChanged:
            return (
                "Your address at \(facts.app) was changed", "Your address was changed",
                "The address of \(account) was changed\(new)."
            )
        default: return nil
        }
    }

    private static func session(_ kind: MessageKind, _ facts: MessageFacts) -> (String, String, String) {
        let account = "your account at \(facts.app)"
        switch kind {
        case .recoveryBegun:
            let ready = facts.readyAt.map { " on \($0)" } ?? " soon"
            return (
                "Your passkeys at \(facts.app) will be removed", "A recovery was started",
                "A recovery of \(account) was started. Its passkeys and its authenticator app can be removed\(ready)."
            )
        case .identityLinked:
            return (
                "A provider was linked to \(account)", "Another way to sign in",
                "Another service can now be used to sign in to \(account)."
            )
        case .identityUnlinked:
            return (
                "A provider was unlinked from \(account)", "A way to sign in was removed",
                "Another service can no longer be used to sign in to \(account)."
            )
        case .signInRequested:
            let client = facts.clientName ?? facts.app
            return (
                "\(client) asks for your approval", "Approve a sign-in?",
                "\(client) asks to sign you in with \(account). Allow it only if you began it yourself."
            )
        case .recoveryFinished:
            return (
                "Your account at \(facts.app) was recovered", "Your account was recovered",
                "The passkeys and the authenticator app of \(account) were removed, and every session was ended."
            )
        default:
            let client = facts.clientName.map { " in \($0)" } ?? ""
            return (
                "You were signed out of an app at \(facts.app)", "A session was ended",
                "Your session\(client) at \(facts.app) was ended because a token was used twice: one of the two may be a copy."
            )
        }
    }

    /// When it happened, and from where.
    static func origin(_ facts: MessageFacts) -> String? {
        let place = [
            facts.device, facts.country.map { CountryName.text($0, in: "en") },
            facts.networkAddress.map { "network address \($0)" },
        ].compactMap(\.self)
        let parts = [
            facts.when.map { "When: \($0)." },
            place.isEmpty ? nil : "From: \(place.joined(separator: ", ")).",
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    private static func action(_ kind: MessageKind) -> String {
        kind == .recoveryBegun ? "Cancel the recovery" : "Check your account"
    }

    private static func note(_ kind: MessageKind, _ app: String) -> String {
        switch kind {
        case .passwordChanged:
            """
            If this was you, there is nothing to do. If it was not: open the sign-in page, follow “Forgot your \
            password?” to choose a new one, then check your settings and sign out of every session that you do not recognise.
            """
        case .recoveryBegun:
            """
            If this was you, there is nothing to do. If it was not: cancel it, and choose a new password, because \
            someone else knows yours.
            """
        case .addressRemoved, .addressChanged:
            """
            If this was you, there is nothing to do. If it was not: sign in, put your address back and choose a new \
            password. If you cannot sign in any more, get in touch with \(app) at once.
            """
        case .sessionEnded:
            """
            Sign in again in the app. If you moved or restored its data, this is what happened. If not: check the \
            devices in your settings and choose a new password.
            """
        default:
            """
            If this was you, there is nothing to do. If it was not: choose a new password at once, then undo the \
            change in your settings and sign out of every session that you do not recognise.
            """
        }
    }

    private static func short(_ kind: MessageKind) -> String {
        switch kind {
        case .recoveryBegun: "Not you? Cancel it:"
        case .sessionEnded: "Not you? Check your account:"
        default: "Not you? Choose a new password and check your account:"
        }
    }
}
